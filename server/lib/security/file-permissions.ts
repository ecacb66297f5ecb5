/** Makes new files and folders of this process inaccessible to accounts outside its group. */
export function restrictFilePermissions(): void {
  const before = process.umask(0o077)
  process.umask(before | 0o007)
}
