import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { count, md } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

export const dropbox = integration({
  name: 'dropbox',
  title: 'Dropbox',
  category: 'Productivity',
  summary: 'Changes of files',
  logo: { letter: 'D', color: '#0061ff' },
  steps: [
    'Open the [App Console](https://www.dropbox.com/developers/apps) of Dropbox, and click **Create app**.',
    'In the settings of the app, paste the URL under **Webhooks**, and click **Add**.',
    'Connect the app with the account whose files you want to follow. If you want deliveries to be verified, set the app secret for the bot.',
  ],
  sample: { payload: { list_folder: { accounts: ['dbid:example'] }, delta: { users: [1] } } },
  verify: hmacSignature({ header: 'X-Dropbox-Signature' }),
  handle: on(
    z.object({ list_folder: z.object({ accounts: z.array(z.string()).nullish() }).nullish() }),
    ({ list_folder: folder }) => {
      const accounts = folder?.accounts?.length ?? 1
      return {
        topic: 'Dropbox',
        content: md`Files${accounts > 1 && md` of ${count(accounts, 'account')}`} changed on Dropbox.`,
      }
    },
  ),
})
