import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { foreignMarkdown } from '../markdown.ts'

export const homeassistant = integration({
  name: 'homeassistant',
  title: 'Home Assistant',
  category: 'Productivity',
  logo: { letter: 'H', color: '#18bcf2' },
  steps: [
    'In `configuration.yaml` of Home Assistant, add a notifier of the platform `rest` with the method `POST_JSON`.',
    'Set its `resource` to the URL, and its `title_param_name` to `topic`.',
  ],
  handle: on(z.object({ message: z.string(), topic: z.string().nullish() }), ({ message, topic }) => ({
    topic: topic || 'homeassistant',
    content: foreignMarkdown(message),
  })),
})
