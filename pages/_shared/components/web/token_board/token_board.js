// What Streamlit imports, anew with every description. A browser then goes through all that a module imports, one level
// after another, and in between draws the page: so this one names nothing before it runs, which it does once.

const [{ Board }, { component }] = await Promise.all([import("./board.js"), import("../shared.js")]);

export default await component(Board, import.meta.url);
