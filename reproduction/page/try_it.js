// The encoder of this page, a bag of character n-grams: each step is as in Python.
const panel = document.getElementById("try-it");
const about = JSON.parse(document.getElementById("try-it-about").textContent);
const BEST = 10;

// A matrix in 8 bits: a scale for each row, then the rows (`try_it.small`).
function matrix(name) {
  const text = document.getElementById(`try-it-${name}`).textContent;
  const { buffer } = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const rows = about.rows[name];
  return { rows, scales: new Float32Array(buffer, 0, rows), numbers: new Int8Array(buffer, 4 * rows) };
}

function product({ scales, numbers }, row, vector) {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i] * numbers[row * vector.length + i];
  return scales[row] * sum;
}

function unit(vector) {
  const norm = Math.hypot(...vector) || 1;
  return vector.map((number) => number / norm);
}

// `groundvec.data.cleaning.clean`, `groundvec.text.punctuation.detach_punctuation` and
// `groundvec.text.encoded.cleaned`.
const trimmed = (text) => text.replace(/^ +| +$/g, "");
const compiled = (all) => all.map(([pattern, replacement]) => [new RegExp(pattern, "gu"), replacement]);
const cleaning = compiled(about.cleaning);
const substitutions = compiled(about.substitutions);

function cleaned(sentence) {
  let text = sentence;
  for (const [pattern, replacement] of cleaning) text = text.replace(pattern, replacement).normalize("NFKC");
  text = trimmed(text);
  for (const [pattern, replacement] of substitutions) text = text.replace(pattern, replacement);
  return trimmed([...text].slice(0, about.longest).join(""));
}

// MurmurHash3, 32 bits, as `groundvec.text.ngrams.murmur3`.
function murmur3(bytes) {
  const mixed = (k) => {
    const first = Math.imul(k, 0xcc9e2d51);
    return Math.imul((first << 15) | (first >>> 17), 0x1b873593);
  };
  let hash = 0;
  let i = 0;
  for (; i + 4 <= bytes.length; i += 4) {
    hash ^= mixed(bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24));
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let j = bytes.length - 1; j >= i; j--) tail = (tail << 8) | bytes[j];
  hash ^= mixed(tail) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

// `groundvec.text.ngrams`: the rows of a sentence's n-grams in the embedding.
function indices(sentence) {
  const { shortest, longest, buckets } = about.text;
  const lowered = cleaned(sentence).toLowerCase().replace(/[ .]+$/, "") || ".";
  const encoder = new TextEncoder();
  const rows = [];
  for (const word of lowered.split(" ")) {
    const letters = [...` ${word} `];
    for (let n = Math.min(shortest, letters.length); n <= Math.min(longest, letters.length); n++) {
      for (let i = 0; i + n <= letters.length; i++) {
        const ngram = encoder.encode(letters.slice(i, i + n).join(""));
        rows.push((Math.abs(murmur3(ngram)) % buckets) + 2);
      }
    }
  }
  return rows;
}

// `groundvec.encoders.bag`: the last column of the projection is its bias.
function embed({ embedding, projection }, rows) {
  let state = new Array(about.embedding).fill(0);
  for (const row of rows) {
    const scale = embedding.scales[row];
    for (let i = 0; i < state.length; i++) state[i] += scale * embedding.numbers[row * state.length + i];
  }
  // With IDF, the state has a root mean square of 1; else it is the mean.
  const divisor = about.idf ? Math.hypot(...state) / Math.sqrt(state.length) || 1 : rows.length;
  state = state.map((number) => number / divisor);
  const vector = Array.from({ length: projection.rows }, (_, row) => product(projection, row, [...state, 1]));
  return unit(about.state ? [...unit(vector), ...unit(state)] : vector);
}

const models = about.models.map((number) => ({
  embedding: matrix(`embedding-${number}`),
  projection: matrix(`projection-${number}`),
}));
const searched = { images: matrix("images"), captions: matrix("captions") };

function encode(sentence) {
  const rows = indices(sentence);
  const vectors = models.map((model) => embed(model, rows));
  return unit(vectors[0].map((_, i) => vectors.reduce((sum, vector) => sum + vector[i], 0)));
}

function nearest(vector, vectors) {
  const scores = Array.from({ length: vectors.rows }, (_, row) => ({ row, score: product(vectors, row, vector) }));
  return scores.sort((a, b) => b.score - a.score);
}

function search(sentence) {
  const vector = encode(sentence);
  return { images: nearest(vector, searched.images), captions: nearest(vector, searched.captions) };
}

function item(content, score) {
  const line = document.createElement("li");
  const number = document.createElement("span");
  number.className = "score";
  number.textContent = score.toFixed(3);
  line.append(content, " ", number);
  return line;
}

function image(row) {
  const caption = about.captions[about.image.indexOf(row)] ?? about.ids[row];
  const source = window.groundvec?.thumbnail?.(about.ids[row], about.dataset);
  if (!source) return caption;
  return Object.assign(new Image(), { src: source, alt: caption, title: caption });
}

const input = panel.querySelector("input");
const results = document.getElementById("try-it-found");

function show() {
  results.hidden = !cleaned(input.value);
  if (results.hidden) return;
  const { images, captions } = search(input.value);
  const [imageList, captionList] = results.querySelectorAll("ol");
  imageList.replaceChildren(...images.slice(0, BEST).map(({ row, score }) => item(image(row), score)));
  captionList.replaceChildren(...captions.slice(0, BEST).map(({ row, score }) => item(about.captions[row], score)));
  document.getElementById("try-it-status").textContent = `The nearest caption is: ${about.captions[captions[0].row]}`;
}

input.addEventListener("input", show);
for (const example of panel.querySelectorAll(".examples button")) {
  example.addEventListener("click", () => {
    input.value = example.textContent;
    show();
  });
}
panel.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  show();
});
Object.assign(panel, { cleaned, indices, encode, search });
