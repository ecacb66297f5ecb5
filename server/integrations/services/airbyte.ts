import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, bullets, link, md, paragraphs, plainText } from '../markdown.ts'

const text = z.string().nullish()
const thing = z.object({ name: z.string(), url: text })
const labeled = (label: string, value: Parameters<typeof bullets>[0][number]) => md`${bold(`${label}:`)} ${value}`

export const airbyte = integration({
  name: 'airbyte',
  title: 'Airbyte',
  category: 'Productivity',
  summary: 'Results of syncs',
  logo: { letter: 'A', color: '#615eff' },
  steps: [
    'In Airbyte, open **Settings**, then **Notifications**.',
    'Paste the URL at the events that you want to hear of, turn **Webhook** on, and click **Save changes**.',
  ],
  sample: {
    payload: {
      data: {
        workspace: { name: 'Example' },
        connection: { name: 'Orders', url: 'https://cloud.airbyte.com/workspaces/1/connections/2' },
        source: { name: 'Shop' },
        destination: { name: 'Warehouse' },
        success: true,
        recordsEmitted: 1200,
        recordsCommitted: 1200,
        bytesEmittedFormatted: '3 MB',
        bytesCommittedFormatted: '3 MB',
        durationFormatted: '2 min 5 sec',
      },
    },
  },
  handle: on(
    z.union([
      z.object({
        data: z.object({
          workspace: thing,
          connection: thing,
          source: thing,
          destination: thing,
          success: z.boolean().nullish(),
          errorMessage: text,
          recordsEmitted: z.number().nullish(),
          recordsCommitted: z.number().nullish(),
          bytesEmittedFormatted: text,
          bytesCommittedFormatted: text,
          durationFormatted: text,
        }),
      }),
      z.object({ text: z.string() }),
    ]),
    (payload) => {
      if (!('data' in payload)) return { topic: 'Airbyte notification', content: plainText(payload.text) }
      const { data } = payload
      const isGood = data.success === true
      return {
        topic: `${data.workspace.name} - ${data.connection.name}`,
        content: paragraphs(
          md`${isGood ? '✅' : '❌'} The sync of ${link(data.connection.name, data.connection.url)} ${bold(isGood ? 'succeeded' : 'failed')}.`,
          bullets([
            labeled('Source', link(data.source.name, data.source.url)),
            labeled('Destination', link(data.destination.name, data.destination.url)),
            labeled('Records', md`${data.recordsEmitted ?? 0} sent, ${data.recordsCommitted ?? 0} saved`),
            labeled(
              'Bytes',
              md`${data.bytesEmittedFormatted ?? '0 B'} sent, ${data.bytesCommittedFormatted ?? '0 B'} saved`,
            ),
            labeled('Duration', data.durationFormatted ?? 'unknown'),
          ]),
          !isGood && data.errorMessage && labeled('Error message', data.errorMessage),
        ),
      }
    },
  ),
})
