import { slackContent, slackMessage } from '../families/slack-format.ts'
import { integration, on } from '../integration.ts'
import { noText } from '../slack-answers.ts'

export const slackIncoming = integration({
  name: 'slack_incoming',
  title: 'Slack-compatible webhook',
  category: 'Communication',
  summary: 'Whatever posts to Slack',
  logo: { letter: 'S', color: '#611f69' },
  steps: [
    'In the program that posts to Slack, replace the URL of the incoming webhook by this one.',
    'If the message names a channel and the URL has no `topic`, the name of the channel becomes the topic.',
  ],
  sample: {
    payload: { channel: '#releases', text: '*Atlas 1.4* is out: <https://example.com/atlas|see what is new>' },
  },
  handle: on(slackMessage, (payload) => {
    if (payload.text === undefined && !payload.blocks && !payload.attachments) throw noText()
    const content = slackContent(payload)
    if (content.markdown === '') {
      // Programs that fill in a template send null for what they leave out.
      const isLeftOut = payload.text === null || payload.attachments?.some((one) => Object.values(one).includes(null))
      if (isLeftOut) return null
      throw noText()
    }
    return { topic: (payload.channel ?? '').replace(/^[#@]/, ''), content }
  }),
})
