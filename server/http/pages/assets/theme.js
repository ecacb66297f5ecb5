// Applies the theme that the user chose in the web client of this browser (saved by `web/store/theme.ts`) before
// anything is painted. Without a choice, or if the storage cannot be read, pages follow the system.

try {
  const theme = localStorage.getItem('parley.theme')
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
} catch {
  // Storage is disabled.
}
