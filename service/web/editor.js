// editor.js - a place to write code in: colours where the server has CodeMirror, a draft that the browser keeps, and a try of the
// samples whose findings stand at their lines. Without it the page has a plain field and a button.
"use strict";
(() => {
  const form = document.querySelector("form[data-editor]");
  if (!form) return;
  const field = form.querySelector("#code");
  const problem = form.dataset.editor;
  const from = form.dataset.from; // the submission that is edited, which has a draft of its own
  const draftName = `draft ${form.dataset.person} ${problem}${from ? ` ${from}` : ""}`;
  const note = form.querySelector(".draft");
  const findings = form.querySelector(".findings");
  const button = form.querySelector("button.try");
  const given = field.value; // the starter, or the submission that is edited

  // ---- the field, with colours or plain -----------------------------------------------------------------------------

  // CUDA C++ is C++ with more keywords.
  function defineCuda() {
    const words = (text) => Object.fromEntries(text.split(" ").map((word) => [word, true]));
    const cpp = CodeMirror.resolveMode("text/x-c++src");
    CodeMirror.defineMIME("text/x-cuda", {
      ...cpp,
      keywords: { ...cpp.keywords, ...words("__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __launch_bounds__ __forceinline__ __syncthreads __syncwarp") },
      types: { ...cpp.types, ...words("float2 float4 int2 int4 uint2 uint4 double2 dim3 half half2 __half __half2 __nv_bfloat16 cudaStream_t cudaError_t") },
      atoms: { ...cpp.atoms, ...words("threadIdx blockIdx blockDim gridDim warpSize") },
    });
  }

  let mirror = null;
  if (window.CodeMirror) {
    defineCuda();
    mirror = CodeMirror.fromTextArea(field, {
      mode: "text/x-cuda",
      lineNumbers: true,
      indentUnit: 4,
      viewportMargin: Infinity,
      inputStyle: "contenteditable",
      // Escape leaves the field, so that Tab, which indents, is no trap for those who have no mouse.
      extraKeys: { Esc: () => button.focus(), Tab: (editor) => editor.execCommand(editor.somethingSelected() ? "indentMore" : "insertSoftTab"), "Shift-Tab": "indentLess" },
    });
    mirror.getInputField().setAttribute("aria-label", "Your program; Escape leaves it");
  }
  const text = () => (mirror ? mirror.getValue() : field.value);

  function setText(value) {
    if (mirror) mirror.setValue(value);
    else field.value = value;
  }

  function goTo(line) {
    if (mirror) {
      mirror.setCursor(line - 1, 0);
      mirror.focus();
      return;
    }
    const start = field.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    field.focus();
    field.setSelectionRange(start, start + (field.value.split("\n")[line - 1] || "").length);
  }

  // ---- the draft ----------------------------------------------------------------------------------------------------

  // A browser may forbid to keep anything.
  function kept() {
    try {
      return localStorage.getItem(draftName);
    } catch {
      return null;
    }
  }

  // What was not changed here is not written: another tab may have kept a newer draft.
  let last = given;
  function keep() {
    const now = text();
    if (now === last) return;
    last = now;
    try {
      if (now !== given) localStorage.setItem(draftName, now);
      else localStorage.removeItem(draftName);
    } catch {
      note.textContent = "This browser keeps no draft.";
    }
  }

  let timer;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(keep, 300);
  };
  if (mirror) mirror.on("change", changed);
  else field.addEventListener("input", changed);
  window.addEventListener("pagehide", keep);

  const draft = kept();
  if (draft !== null && draft !== given) {
    setText(draft);
    last = text();
    const fresh = document.createElement("button");
    fresh.type = "button";
    fresh.className = "plain";
    fresh.textContent = `Begin again with ${from ? `submission ${from}` : "the starter"}`;
    fresh.addEventListener("click", () => {
      setText(given);
      keep();
      note.replaceChildren();
    });
    note.replaceChildren("This is your draft. ", fresh);
  }

  // ---- what a try finds ---------------------------------------------------------------------------------------------

  function element(name, words, className) {
    const made = document.createElement(name);
    if (words !== undefined) made.textContent = words;
    if (className) made.className = className;
    return made;
  }

  let marks = [];
  function clearMarks() {
    for (const mark of marks) mark();
    marks = [];
  }

  // At the line itself where there are colours; in the list of findings in any case.
  function mark(line, words, isError) {
    const item = element("li");
    const link = element("button", `Line ${line}`, "plain");
    link.type = "button";
    link.addEventListener("click", () => goTo(line));
    item.append(link, `: ${words}`);
    if (!mirror || line > mirror.lineCount()) return item;
    const widget = mirror.addLineWidget(line - 1, element("div", words, isError ? "finding bad" : "finding"));
    const handle = mirror.addLineClass(line - 1, "background", "found");
    marks.push(() => {
      widget.clear();
      mirror.removeLineClass(handle, "background", "found");
    });
    return item;
  }

  // "x.cu(3): error: ..." of nvcc, and "x.cu:3:7: error: ..." of clang.
  function compilerMessages(diagnostics) {
    return diagnostics.split("\n").flatMap((row) => {
      const found = row.match(/^[^\s(:]+(?:\((\d+)\)|:(\d+):\d+): (?:fatal )?(error|warning)[^:]*: (.*)$/);
      return found ? [{ line: Number(found[1] || found[2]), words: found[4], isError: found[3] === "error" }] : [];
    });
  }

  // "x.cu:12" and "line 12" of the judge's sentences.
  function placeIn(words) {
    const found = words.match(/\.cu:(\d+)/) || words.match(/\bline (\d+)/);
    return found ? Number(found[1]) : 0;
  }

  const MOST_ELEMENTS = 64;
  function elements(output) {
    const table = element("table", undefined, "elements");
    const head = table.createTHead().insertRow();
    for (const words of ["Element", "Expected", "Got"]) head.append(element("th", words));
    const body = table.createTBody();
    output.expected.slice(0, MOST_ELEMENTS).forEach((expected, at) => {
      const row = body.insertRow();
      const isRight = Math.abs(output.got[at] - expected) <= output.bounds[at];
      row.className = isRight ? "" : "wrong";
      row.append(element("th", String(at)), element("td", String(expected)), element("td", `${output.got[at]}${isRight ? "" : " ✗"}`));
    });
    return table;
  }

  function showResult(result) {
    clearMarks();
    const isGood = result.verdict === "Accepted";
    const list = element("ul");
    findings.replaceChildren(element("p", `${result.verdict}${isGood ? ": all samples" : ""}`, isGood ? "good mark" : "bad mark"), list);
    for (const message of compilerMessages((result.compile && result.compile.diagnostics) || ""))
      list.append(mark(message.line, message.words, message.isError));
    for (const item of (result.cases || []).filter((one) => one.verdict !== "Accepted" && one.verdict !== "not run")) {
      const words = `${item.name}: ${item.text || item.verdict}`;
      const line = placeIn(item.text || "");
      list.append(line ? mark(line, words, true) : element("li", words));
      if (item.output && item.output.expected && item.output.expected.length <= MOST_ELEMENTS) findings.append(element("h3", item.name), elements(item.output));
    }
    if (!list.children.length && result.text) list.append(element("li", result.text));
  }

  // ---- a try --------------------------------------------------------------------------------------------------------

  const say = (words) => findings.replaceChildren(element("p", words));

  async function answerOf(path, options) {
    const reply = await fetch(path, options);
    const answer = await reply.json().catch(() => ({})); // a proxy may answer in its own way
    if (reply.status === 401) throw new Error("Your login has ended, and your program stays here. Log in on another page, and try again.");
    if (!reply.ok) throw new Error(answer.error || `The server answers ${reply.status}.`);
    return answer;
  }

  function newKey() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  // It is looked at often in the first seconds, and then less and less.
  async function ended(number) {
    for (let wait = 200; ; wait = Math.min(wait * 1.2, 5000)) {
      const submission = await answerOf(`/api/v1/submissions/${number}`);
      if (["judged", "held", "withdrawn"].includes(submission.state)) return submission;
      const progress = submission.progress;
      say(submission.state === "waiting" ? submission.stand || "Waiting" : progress ? progress.step || "It is being judged." : "It is being judged.");
      await pause(wait);
    }
  }

  async function tryIt() {
    if (button.disabled) return;
    button.disabled = true;
    clearMarks();
    say("Sent");
    keep();
    try {
      const body = JSON.stringify({ key: newKey(), file_name: `${problem}.cu`, source: text(), problem, mode: "try" });
      const sent = await answerOf("/api/v1/submissions", { method: "POST", headers: { "Content-Type": "application/json" }, body });
      const submission = await ended(sent.submission);
      if (submission.state === "judged") showResult(await answerOf(`/api/v1/submissions/${sent.submission}/result`));
      else say("The judge failed, not your program. Try again.");
    } catch (fault) {
      say(fault.message);
    }
    button.disabled = false;
  }

  button.hidden = false;
  button.addEventListener("click", tryIt);
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    tryIt();
  }, true);
})();
