import { z } from 'zod'

/** The sites for which every organization can add a profile field with accounts there. */
export const defaultExternalAccounts: Readonly<Record<string, z.infer<typeof externalAccountJson>>> = {
  twitter: {
    text: 'Twitter',
    name: 'Twitter username',
    hint: '',
    url_pattern: 'https://twitter.com/%(username)s',
  },
  github: {
    text: 'GitHub',
    name: 'GitHub username',
    hint: '',
    url_pattern: 'https://github.com/%(username)s',
  },
}

export const externalAccountJson = z.strictObject({
  text: z.string(),
  name: z.string(),
  hint: z.string(),
  url_pattern: z.string(),
})
