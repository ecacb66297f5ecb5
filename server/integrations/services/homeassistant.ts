import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, foreignMarkdown, lines } from '../markdown.ts'

const text = z.string().nullish()

export const homeassistant = integration({
  name: 'homeassistant',
  title: 'Home Assistant',
  category: 'Productivity',
  summary: 'Notifications of automations',
  logo: { letter: 'H', color: '#18bcf2' },
  steps: [
    `Add a notifier with the URL to the file \`configuration.yaml\` of Home Assistant:

\`\`\`yaml
notify:
  - name: parley
    platform: rest
    method: POST_JSON
    title_param_name: title
    resource: 'URL'
\`\`\``,
    'Restart Home Assistant, and use the action `notify.parley` in your automations.',
  ],
  sample: { payload: { title: 'Front door', message: 'The door is open.' } },
  handle: on(z.object({ message: z.string(), title: text, topic: text }), ({ message, title, topic }) => ({
    topic: topic || 'homeassistant',
    content: lines(bold(title), foreignMarkdown(message)),
  })),
})
