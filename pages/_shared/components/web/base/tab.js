// What a tab of the browser keeps for as long as it lives, and what the browser remembers beyond that.

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

/** What this browser remembers, in all its tabs. @param {string} key */
export const remembered = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // see above
  }
};

/** @param {string} key @param {string} value  empty for what is to be forgotten */
export const remember = (key, value) => {
  try {
    if (value) localStorage.setItem(key, value);
    else localStorage.removeItem(key);
  } catch {
    // see above
  }
};
