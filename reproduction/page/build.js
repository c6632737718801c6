"use strict";
// All content is in the page without this: it shows values at once, enlarges figures, and counts.

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

// The values of the point next to the pointer, or of the one that the arrow keys have come to.
const tip = document.getElementById("tip");
const REACH = 20; // pixels

function values(svg) {
  svg.points ??= [...svg.querySelectorAll("title")].map((title) => {
    const point = title.parentNode;
    point.values = title.textContent;
    title.remove(); // or the browser would show it too
    return point;
  });
  return svg.points;
}

function centre(point) {
  const box = point.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

function show(svg, point) {
  svg.near?.classList.remove("near");
  svg.near = tip.point = point;
  const home = document.querySelector("dialog[open]") ?? document.body; // above what is modal
  if (tip.parentNode !== home) home.append(tip); // before its text: what is announced has to be there
  tip.textContent = point ? point.values : "";
  point?.classList.add("near");
  place();
}

function place() {
  if (!tip.point) return;
  const [x, y] = centre(tip.point);
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(Math.max(x - width / 2, 8), innerWidth - width - 8);
  const top = y - height - 12 > 8 ? y - height - 12 : y + 14;
  tip.style.transform = `translate(${left}px, ${top}px)`;
}

for (const svg of document.querySelectorAll(".plot svg")) {
  svg.addEventListener("pointermove", (event) => {
    let best, least = REACH;
    for (const point of values(svg)) {
      const [x, y] = centre(point);
      const distance = Math.hypot(x - event.clientX, y - event.clientY);
      if (distance < least) [best, least] = [point, distance];
    }
    if (best !== svg.near) show(svg, best);
  });
  svg.addEventListener("pointerleave", () => show(svg));
}
for (const box of document.querySelectorAll(".plot, .view")) {
  box.addEventListener("keydown", ({ key, ctrlKey, metaKey, altKey }) => {
    const step = { n: 1, p: -1 }[key], svg = box.querySelector("svg");
    if (!step || ctrlKey || metaKey || altKey || !svg || !values(svg).length) return;
    const now = svg.near ? values(svg).indexOf(svg.near) : step > 0 ? -1 : 0;
    show(svg, values(svg).at((now + step) % values(svg).length));
  });
  box.addEventListener("focusout", () => {
    const svg = box.querySelector("svg");
    if (svg?.near && svg.near === tip.point) show(svg);
  });
}
document.addEventListener("scroll", place, { passive: true, capture: true });

// Figures in a window of their own, where they can be zoomed; they scroll as anything does.
const dialog = document.getElementById("zoom");
const view = dialog.querySelector(".view");
let plot, scale;

function zoom(to, x = view.clientWidth / 2, y = view.clientHeight / 2) {
  const before = scale;
  scale = Math.min(Math.max(to, 1), 12);
  const [left, top] = [view.scrollLeft + x, view.scrollTop + y];
  view.firstElementChild.style.width = `${100 * scale}%`;
  view.scrollTo({ left: (left * scale) / before - x, top: (top * scale) / before - y, behavior: "instant" });
}

for (const box of document.querySelectorAll(".plot")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "enlarge";
  button.textContent = "Enlarge";
  button.setAttribute("aria-label", `Enlarge ${box.dataset.name}`);
  button.addEventListener("click", () => {
    plot = box;
    document.getElementById("zoom-name").textContent = box.dataset.name;
    box.style.minHeight = `${box.offsetHeight}px`;
    view.replaceChildren(box.querySelector("svg, img"));
    dialog.showModal();
    scale = 1;
    zoom(1);
    view.focus();
  });
  box.after(button);
}
dialog.addEventListener("close", () => {
  const figure = view.firstElementChild;
  figure.style.width = "";
  plot.prepend(figure);
  plot.style.minHeight = "";
  if (tip.point) show(figure);
  plot.nextElementSibling.focus();
});
const ZOOMS = { in: () => zoom(scale * 1.5), out: () => zoom(scale / 1.5), whole: () => zoom(1), close: () => dialog.close() };
dialog.addEventListener("click", (event) => ZOOMS[event.target.dataset.zoom]?.());
dialog.addEventListener("keydown", (event) => {
  const key = { "+": "in", "=": "in", "-": "out", 0: "whole" }[event.key];
  if (key && !event.ctrlKey && !event.metaKey) ZOOMS[key]();
});
view.addEventListener("wheel", (event) => {
  event.preventDefault();
  const box = view.getBoundingClientRect();
  zoom(scale * Math.exp(-event.deltaY / 400), event.clientX - box.x, event.clientY - box.y);
}, { passive: false });
view.addEventListener("pointermove", (event) => {
  if (event.pointerType === "mouse" && event.buttons === 1) view.scrollBy({ left: -event.movementX, top: -event.movementY, behavior: "instant" });
});

// Buttons that copy a table's files, and the reference of its paper, from the page itself.
const copies = JSON.parse(document.getElementById("copies").textContent);
for (const place of navigator.clipboard ? document.querySelectorAll(".files[data-table]") : []) {
  const reference = document.getElementById(`${place.dataset.paper}-bibtex`).textContent;
  for (const [form, text] of Object.entries({ ...copies[place.dataset.table], BibTeX: reference })) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = `Copy ${form}`;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = `Copied ${form}`;
    });
    place.append(" ", button);
  }
}

// How many queries the filters leave; it is the style that hides the others.
for (const gallery of document.querySelectorAll(".gallery")) {
  const queries = [...gallery.querySelectorAll(".query")];
  const more = gallery.querySelector(".more");
  const count = () => {
    const wanted = [...gallery.querySelectorAll("input:checked[name]")].map((input) => input.value);
    const left = queries.filter(({ classList }) => wanted.every((name) => name === "all" || classList.contains(name)));
    const hits = left.filter((query) => query.classList.contains("hit")).length;
    const few = left.length > gallery.dataset.first && !more?.querySelector(":checked");
    gallery.querySelector(".shown").textContent = `${left.length} queries, ${hits} of them ${hits === 1 ? "a hit" : "hits"}${few ? `; the first ${gallery.dataset.first} are shown` : ""}.`;
    if (more) more.hidden = left.length <= gallery.dataset.first;
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
