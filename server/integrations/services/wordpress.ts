import { z } from 'zod'
import { badPayload, integration, on, parse } from '../integration.ts'
import { bullets, fact, link, md, paragraphs } from '../markdown.ts'

const field = z.string().optional()
const topic = 'WordPress notification'

const published = (kind: string) =>
  on(z.object({ post_title: field, post_url: field, post_type: field }), (given) => ({
    topic,
    content: md`A new ${given.post_type || kind} was published: ${link(given.post_title || 'New WordPress post', given.post_url)}.`,
  }))

const user = z.object({ display_name: field, user_email: field, user_login: field })

const events = {
  publish_post: published('post'),
  publish_page: published('page'),
  user_register: on(user, (given) => ({
    topic,
    content: paragraphs(
      md`A user registered:`,
      bullets([fact('Name', given.display_name || given.user_login || 'unknown'), fact('Email', given.user_email)]),
    ),
  })),
  wp_login: on(user, (given) => ({ topic, content: md`${given.user_login || 'A user'} logged in.` })),
}

export const wordpress = integration({
  name: 'wordpress',
  title: 'WordPress',
  category: 'Marketing',
  summary: 'Posts, pages, comments, users',
  logo: { letter: 'W', color: '#21759b' },
  steps: [
    'In WordPress, install and activate the plugin **HookPress**.',
    'Open **Settings**, then **Webhooks**, and add a webhook with the URL for each action.',
  ],
  sample: {
    payload: {
      hook: 'publish_post',
      post_title: 'Maps without gaps',
      post_url: 'https://blog.example.com/maps',
      post_type: 'post',
    },
  },
  isForm: true,
  eventOf: (payload) => {
    const hook = parse(z.object({ hook: z.string() }), payload).hook.trim()
    return Object.hasOwn(events, hook) ? hook : badPayload()
  },
  events,
})
