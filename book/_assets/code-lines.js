// On a phone a line of code that is too long breaks, and goes on two characters behind
// its own beginning: else the next line would seem to be one of an outer block.
document.addEventListener("DOMContentLoaded", () => {
  const mostIndent = 20; // so that some room is left in a box of about 45 characters
  for (const code of document.querySelectorAll("article div.highlight pre")) {
    // Pygments closes each of its elements before the end of a line.
    const lines = code.innerHTML.replace(/\n$/, "").split("\n");
    code.innerHTML = lines
      .map((line) => {
        const indent = line.replace(/<[^>]*>/g, "").search(/\S|$/);
        const place = Math.min(indent, mostIndent);
        return `<span class="code-line" style="--indent: ${place}ch">${line}\n</span>`;
      })
      .join("");
  }
});
