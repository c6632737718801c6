// A sentence is read here as it is in Python, and encoded by ONNX Runtime Web. All of it is in the
// page, compressed, and is unpacked when somebody first comes to the input.
const panel = document.getElementById("try-it");
const input = document.getElementById("try-it-sentence");
const status = document.getElementById("try-it-status");
const found = document.getElementById("try-it-found");
const about = JSON.parse(document.getElementById("try-it-about").textContent);
const BEST = 10;
const PATIENCE = 200; // milliseconds after the last key
const UNKNOWN = 1, FIRST = 2; // indices; 0 is padding

async function unpacked(name) {
  const { body } = await fetch(`data:;base64,${document.getElementById(`try-it-${name}`).textContent}`);
  return new Response(body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function load() {
  const [code, wasm, model, vectors] = await Promise.all(["code", "wasm", "model", "vectors"].map(unpacked));
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const ort = await import(address);
  URL.revokeObjectURL(address);
  ort.env.wasm.numThreads = 1; // more want a server that allows them
  ort.env.wasm.wasmBinary = wasm;
  const session = await ort.InferenceSession.create(new Uint8Array(model), { logSeverityLevel: 3 }); // errors
  const rows = about.ids.length + about.captions.length;
  return { ort, session, scales: new Float32Array(vectors, 0, rows), numbers: new Int8Array(vectors, 4 * rows) };
}

const UNPACKING = "Unpacking the encoder …";
let loading, ready = false;
const loaded = () => (loading ??= load().then((vectors) => { ready = true; return vectors; }));

// As `groundvec.data.cleaning.clean`, `groundvec.text.punctuation.detach_punctuation` and
// `groundvec.text.encoded.cleaned`.
const trimmed = (text) => text.replace(/^ +| +$/g, "");
const compiled = (all) => all.map(([pattern, by]) => [new RegExp(pattern, "gu"), by]);
const cleaning = compiled(about.cleaning), substitutions = compiled(about.substitutions);

function cleaned(sentence) {
  let apart = sentence;
  for (const [pattern, by] of cleaning) apart = apart.replace(pattern, by).normalize("NFKC");
  apart = trimmed(apart);
  for (const [pattern, by] of substitutions) apart = apart.replace(pattern, by);
  return trimmed([...apart].slice(0, about.longest).join(""));
}

// As `groundvec.text.characters` and `groundvec.text.words`.
const symbols = [...(about.text.characters ?? about.text.words)];
const index = new Map(symbols.map((symbol, i) => [symbol, i + FIRST]));
const TOKEN = /[\p{L}\p{N}_]+(?:['\u2019-][\p{L}\p{N}_]+)*|[^\p{L}\p{N}_ ]/gu;

function cut(sentence) {
  if (about.text.characters) return [...(sentence.endsWith(".") ? sentence : `${sentence} .`)];
  const text = about.text.lowercase === false ? sentence : sentence.toLowerCase();
  return text.match(TOKEN) ?? [""];
}

const indices = (sentence) => cut(cleaned(sentence)).map((symbol) => index.get(symbol) ?? UNKNOWN);

let busy = Promise.resolve(); // the runtime computes one thing at a time

function encode(sentence) {
  const vector = busy.then(async () => {
    const { ort, session } = await loaded();
    const read = BigInt64Array.from(indices(sentence), BigInt);
    const { vectors } = await session.run({
      indices: new ort.Tensor("int64", read, [1, read.length]),
      lengths: new ort.Tensor("int64", BigInt64Array.of(BigInt(read.length)), [1]),
    });
    return vectors.data;
  });
  busy = vector.catch(() => {});
  return vector;
}

// As `groundvec.similarity.scores`: the rows from `first` on, and their scores, the nearest first.
function nearest(vector, first, count, { scales, numbers }) {
  const scores = Array.from({ length: count }, (_, row) => {
    const at = (first + row) * vector.length, scale = scales[first + row];
    let product = 0, square = 0;
    for (let i = 0; i < vector.length; i++) product += vector[i] * numbers[at + i];
    if (about.similarity !== "euclidean") return scale * product;
    for (let i = 0; i < vector.length; i++) square += numbers[at + i] ** 2;
    return 2 * scale * product - scale ** 2 * square;
  });
  return scores.map((score, row) => ({ score, row })).sort((a, b) => b.score - a.score);
}

async function search(sentence) {
  const vector = await encode(sentence);
  const vectors = await loaded();
  const images = about.ids.length;
  return {
    pictures: nearest(vector, 0, images, vectors),
    captions: nearest(vector, images, about.captions.length, vectors),
  };
}

// What a reader should know of a sentence that the encoder was not made for.
function doubts(sentence) {
  const unknown = [...new Set(cut(cleaned(sentence)).filter((symbol) => !index.has(symbol)))];
  const what = about.text.characters ? "These characters are not in the training captions" : "These words are not in the vocabulary";
  return [
    ...(unknown.length ? [`${what}: ${unknown.slice(0, 8).join(" ")}.`] : []),
  ];
}

function item(content, score) {
  const line = document.createElement("li");
  const number = document.createElement("span");
  number.className = "score";
  number.textContent = score.toFixed(3);
  line.append(content, " ", number);
  return line;
}

function picture(row) {
  const caption = about.captions[about.image.indexOf(row)] ?? about.ids[row];
  const source = window.groundvec?.thumbnail?.(about.ids[row], about.dataset);
  if (!source) return caption;
  return Object.assign(new Image(), { src: source, alt: caption, title: caption });
}

let last = 0;

async function show() {
  const mine = ++last, sentence = input.value;
  if (!cleaned(sentence)) {
    found.hidden = true;
    status.textContent = "";
    return;
  }
  if (!ready) status.textContent = UNPACKING;
  try {
    const { pictures, captions } = await search(sentence);
    if (mine !== last) return; // somebody has typed on
    const [best, others] = found.querySelectorAll("ol");
    best.replaceChildren(...pictures.slice(0, BEST).map(({ row, score }) => item(picture(row), score)));
    others.replaceChildren(...captions.slice(0, BEST).map(({ row, score }) => item(about.captions[row], score)));
    found.hidden = false;
    const first = `Found. The nearest caption is: ${about.captions[captions[0].row]}`;
    status.textContent = [first, ...doubts(sentence)].join(" ");
  } catch (error) {
    refuse(error);
  }
}

function refuse({ message }) {
  status.textContent = `This browser cannot run the encoder (${message}).`;
}

let clock;
input.addEventListener("focus", () => {
  if (!ready) status.textContent = UNPACKING;
  loaded().then(() => { if (!input.value) status.textContent = "Ready."; }, refuse);
});
input.addEventListener("input", () => {
  clearTimeout(clock);
  clock = setTimeout(show, PATIENCE);
});
for (const example of panel.querySelectorAll(".examples button")) {
  example.addEventListener("click", () => {
    clearTimeout(clock);
    input.value = example.textContent;
    show();
  });
}
panel.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(clock);
  show();
});
Object.assign(panel, { cleaned, encode, search });
