import { z } from 'zod'
import { badPayload, integration, on } from '../integration.ts'
import { bold, htmlToText, link, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()

const person = z
  .object({
    ...{ name: text, email: text, first_name: text, last_name: text, status: text },
    _anon: z.object({ name: text }).nullish(),
  })
  .nullish()

const delivery = z.object({
  siteDetails: z.object({ domain: text, acct: text, name: text }).nullish(),
  concurrents: z.number().nullish(),
  message: z
    .object({ content: text, private: z.boolean().nullish(), session: z.object({ title: text }).nullish() })
    .nullish(),
  person,
  group: z.object({ name: text }).nullish(),
  boundary: text,
  event: text,
  title: text,
})

export const gosquared = integration({
  name: 'gosquared',
  title: 'GoSquared',
  category: 'Marketing',
  summary: 'Traffic, smart groups, chats',
  logo: { letter: 'G', color: '#5f46ff' },
  steps: [
    'In GoSquared, open **Settings**, **Current Project**, then **Integrations**, add a **Webhook**, and paste the URL.',
    'Open **Notifications** in the settings of the project, and choose the webhook for traffic spikes, smart groups and messages.',
  ],
  sample: { payload: { siteDetails: { domain: 'www.example.com', acct: 'GSN-1' }, concurrents: 1200 } },
  handle: on(delivery, (payload) => {
    const { siteDetails: site, concurrents, message, person, group, boundary, event } = payload
    const name =
      person?.name ||
      [person?.first_name, person?.last_name].filter(Boolean).join(' ') ||
      person?.email ||
      person?._anon?.name ||
      payload.title ||
      'Anonymous'
    if (message?.private) return null
    if (message) {
      const kind = person?.status || (person?._anon || !person ? 'visitor' : 'user')
      return {
        event: 'chat_message',
        topic: `Live chat session - ${message.session?.title || name}`,
        content: paragraphs(md`The ${kind} ${bold(name)} wrote:`, quote(htmlToText(message.content))),
      }
    }
    if (group) {
      const verb = (boundary ?? event ?? '').includes('exit') ? 'left' : 'entered'
      return {
        event: 'smart_group',
        topic: group.name || 'Smart groups',
        content: md`${name} ${verb} the smart group ${group.name ?? ''}.`,
      }
    }
    const domain = site?.domain ?? site?.name
    if (!domain || typeof concurrents !== 'number') return badPayload()
    const url = site?.acct ? `https://www.gosquared.com/now/${encodeURIComponent(site.acct.toWellFormed())}` : null
    return {
      event: 'traffic_spike',
      topic: `GoSquared - ${domain}`,
      content: md`${link(domain, url)} has ${concurrents} visitors now.`,
    }
  }),
})
