/** Whatever this process makes from here on, files and folders, accounts other than its own and its group's cannot read. */
export function restrictFilePermissions(): void {
  const before = process.umask(0o077)
  process.umask(before | 0o007)
}
