/** What the address of a bot of that name may begin with: small letters, digits and hyphens. */
export const toShortName = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$|-bot-*$/g, '')
