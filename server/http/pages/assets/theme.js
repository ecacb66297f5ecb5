// Shows pages in the theme that was chosen in the web client of this browser (`web/store/theme.ts` keeps it), before
// anything is painted. Where nothing was chosen, or nothing may be read, they look like the system.

try {
  const theme = localStorage.getItem('parley.theme')
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
} catch {
  // Storage is turned off.
}
