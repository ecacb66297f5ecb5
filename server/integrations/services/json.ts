import { integration } from '../integration.ts'
import { codeBlock } from '../markdown.ts'

export const json = integration({
  name: 'json',
  title: 'JSON formatter',
  category: 'Meta',
  summary: 'Any JSON, shown as it is',
  logo: { letter: 'J', color: '#5b5b5b' },
  steps: ['Send any JSON to the URL. The message shows it indented, which helps while you set up something else.'],
  sample: { payload: { map: 'atlas', scale: 25000, isReady: true } },
  handle: (payload) => ({ topic: 'JSON', content: codeBlock(JSON.stringify(payload, null, 2), 'json') }),
})
