import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { md } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const changes = z.object({ list_folder: z.object({ accounts: z.array(z.string()) }).nullish() })

export const dropbox = integration({
  name: 'dropbox',
  title: 'Dropbox',
  category: 'Productivity',
  logo: { letter: 'D', color: '#0061ff' },
  steps: ['In the App Console of Dropbox, choose the app, and add the URL under **Webhooks**.'],
  verify: hmacSignature({ header: 'X-Dropbox-Signature' }),
  handle: on(changes, () => ({ topic: 'Dropbox', content: md`Files in Dropbox have changed.` })),
})
