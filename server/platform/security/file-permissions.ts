/** Makes new files and folders of this process unreadable for accounts other than its own and its group. */
export function restrictFilePermissions(): void {
  const before = process.umask(0o077)
  process.umask(before | 0o007)
}
