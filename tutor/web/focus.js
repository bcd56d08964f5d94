// Gives the terminal the keyboard as soon as it is there, and again when the window comes back.
const focus = () => document.querySelector(".xterm-helper-textarea")?.focus();
const watch = new MutationObserver(() => {
  if (document.querySelector(".xterm-helper-textarea")) { watch.disconnect(); focus(); }
});
watch.observe(document.documentElement, { childList: true, subtree: true });
addEventListener("focus", focus);
