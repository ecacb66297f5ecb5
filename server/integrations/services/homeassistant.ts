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
    'In the file `configuration.yaml` of Home Assistant, add to `notify:` an entry with `platform: rest`, a `name`, `method: POST_JSON`, `title_param_name: title`, and the URL as `resource`.',
    'Restart Home Assistant, and use the notifier (`notify.` and its name) in your automations.',
  ],
  sample: { payload: { title: 'Front door', message: 'The door is open.' } },
  handle: on(z.object({ message: z.string(), title: text, topic: text }), ({ message, title, topic }) => ({
    topic: topic || 'homeassistant',
    content: lines(bold(title), foreignMarkdown(message)),
  })),
})
