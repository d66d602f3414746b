/** How much larger everything is drawn than on a laptop: style.css says it by the size of a letter; a canvas has to be told. */
export const scale = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
