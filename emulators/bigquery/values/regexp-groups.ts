/** How many capturing groups an RE2 pattern has. A malformed pattern is RE2's to complain about. */
export function regexpGroups(pattern: string): number {
  let groups = 0;
  let inClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') {
      if (pattern[at + 1] === 'Q') {
        const end = pattern.indexOf('\\E', at + 2);
        at = end < 0 ? pattern.length : end + 1;
      } else {
        at++;
      }
    } else if (inClass) {
      if (character === ']') inClass = false;
    } else if (character === '[') {
      inClass = true;
      // A bracket that comes first in a class stands for itself.
      if (pattern[at + 1] === '^') at++;
      if (pattern[at + 1] === ']') at++;
    } else if (character === '(') {
      if (pattern[at + 1] !== '?' || /^\?P?<[^=!]/.test(pattern.slice(at + 1, at + 5))) groups++;
    }
  }
  return groups;
}
