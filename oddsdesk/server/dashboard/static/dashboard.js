// Copying is all that needs a script: its buttons are hidden until this file has run.
"use strict";
const said = document.getElementById("said");

function select(source) {
  if (source.select) source.select();
  else getSelection().selectAllChildren(source);
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    said.textContent = "";
    try {
      await navigator.clipboard.writeText(source.value ?? source.textContent);
      said.textContent = "Copied.";
    } catch {
      select(source);
      said.textContent = "The browser does not allow copying. The text is selected: copy it yourself.";
    }
    setTimeout(() => { said.textContent = ""; }, 5000);
  });
}

// The Back button may bring back a page as it was left: it must not show a secret again.
addEventListener("pagehide", () => {
  for (const each of document.querySelectorAll(".once")) each.remove();
});
addEventListener("pageshow", (event) => {
  if (event.persisted && !document.getElementById("live-state")) location.reload();
});
