"use strict";
// All content is in the page without this: it counts queries, and marks where the reader is.

// A thumbnail as a data URI, by the id of its image, and its data set where several have the id.
window.groundvec = {
  thumbnail(image, dataset) {
    const numbers = JSON.parse(document.getElementById("thumbnail-numbers").textContent);
    const sets = dataset ? [numbers[dataset] ?? {}] : Object.values(numbers);
    const number = sets.map((set) => set[image]).find((found) => found !== undefined);
    const rules = document.getElementById("thumbnails").sheet.cssRules;
    return number === undefined ? undefined : rules[number].style.backgroundImage.slice(5, -2);
  },
};

// How many queries the filters leave; it is the style that hides the others.
for (const gallery of document.querySelectorAll(".gallery")) {
  const queries = [...gallery.querySelectorAll(".query")];
  const count = () => {
    const wanted = [...gallery.querySelectorAll("input:checked[name]")].map((input) => input.value);
    const left = queries.filter(({ classList }) => wanted.every((name) => name === "all" || classList.contains(name)));
    const hits = left.filter((query) => query.classList.contains("hit")).length;
    gallery.querySelector(".shown").textContent = `${left.length} queries, ${hits} of them ${hits === 1 ? "a hit" : "hits"}.`;
  };
  gallery.addEventListener("change", count);
  count();
}

// Which tables do not fit: the style says so at each.
const fits = new ResizeObserver((entries) => {
  for (const { target } of entries) target.classList.toggle("wider", target.scrollWidth > target.clientWidth);
});
for (const box of document.querySelectorAll(".wide")) fits.observe(box);

// Where the reader is, in the contents.
const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
const watch = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    for (const link of links.values()) link.removeAttribute("aria-current");
    const link = links.get(target.id);
    link.setAttribute("aria-current", "true");
    link.closest("ul").scrollTo({ left: link.offsetLeft - 40 });
  }
}, { rootMargin: "-20% 0px -75% 0px" });
for (const id of links.keys()) watch.observe(document.getElementById(id));
