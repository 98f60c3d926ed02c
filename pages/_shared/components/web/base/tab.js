// What a tab of the browser keeps for as long as it lives.

/** What this tab keeps for as long as it lives. @param {string} key */
export const kept = (key) => {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null; // storage is switched off: a reload is then another voter
  }
};

/** @param {string} key @param {string} value */
export const keep = (key, value) => {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // see above
  }
};
