import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, bullets, enumerate, fact, lines, link, md, paragraphs, quote } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const reference = z.object({ href: text, title: text })

const request = z.object({
  summary: text,
  description: text,
  status: text,
  branch: text,
  absolute_url: text,
  close_description: text,
  target_people: z.array(reference).nullish(),
  target_groups: z.array(reference).nullish(),
  links: z.object({ repository: reference.nullish(), submitter: reference.nullish(), self: reference.nullish() }),
})
type Request = z.output<typeof request>

const review = z.object({
  body_top: text,
  body_bottom: text,
  ship_it: z.boolean().nullish(),
  absolute_url: text,
  links: z.object({ user: reference.nullish(), self: reference.nullish() }),
})

const withRequest = z.object({ review_request: request })
const comments = z.array(z.object({ text })).nullish()
const withComments = withRequest.extend({ diff_comments: comments, general_comments: comments })

const topicOf = ({ links }: Request) => links.repository?.title || 'Review Board'

const nameOf = (one: z.output<typeof reference> | null | undefined) => bold(one?.title || 'Someone')

const names = (all: readonly z.output<typeof reference>[] | null | undefined) =>
  enumerate(
    (all ?? [])
      .slice(0, 30)
      .map((one) => one.title && bold(one.title))
      .filter(Boolean),
  )

const requestTitle = (given: Request, url: string | null | undefined) => link(given.summary || 'review request', url)

/** Returns the message of a review or a reply. */
const commented = (
  label: 'Review' | 'Reply',
  given: z.output<typeof review>,
  { review_request: to, diff_comments, general_comments }: z.output<typeof withComments>,
  [url, requestUrl]: readonly [string | null | undefined, string | null | undefined],
) => ({
  topic: topicOf(to),
  content: paragraphs(
    md`${nameOf(given.links.user)} ${link(label === 'Review' ? 'reviewed' : 'replied', url)}${label === 'Review' ? ' ' : ' on '}${requestTitle(to, requestUrl)}${given.ship_it ? ' and says: ship it!' : '.'}`,
    lines(
      md`${bold(label)}:`,
      quote(
        [
          given.body_top,
          ...[...(diff_comments ?? []), ...(general_comments ?? [])].map(({ text }) => text),
          given.body_bottom,
        ]
          .filter(Boolean)
          .join('\n\n'),
      ),
    ),
  ),
})

const changed = (words: string) =>
  on(withRequest.extend({ close_type: text }), ({ review_request: given, close_type: closeType }) => ({
    topic: topicOf(given),
    content: paragraphs(
      md`${nameOf(given.links.submitter)} ${words} the review request ${requestTitle(given, given.absolute_url)}.`,
      given.description && lines(md`${bold('Description')}:`, quote(given.description)),
      bullets([
        fact('Status', given.status),
        fact('Target people', names(given.target_people)),
        fact('Target groups', names(given.target_groups)),
        fact('Close type', closeType),
        fact('Branch', given.branch),
      ]),
      quote(given.close_description),
    ),
  }))

export const reviewboard = integration({
  name: 'reviewboard',
  title: 'Review Board',
  category: 'Version control',
  summary: 'Review requests and reviews',
  logo: { letter: 'R', color: '#4a76b8' },
  steps: [
    'In Review Board, open **Team administration**, then **WebHooks**, and create one with the URL.',
    'Choose the encoding **JSON**.',
  ],
  sample: {
    headers: { 'X-Reviewboard-Event': 'review_request_published' },
    payload: {
      review_request: {
        summary: 'Draw maps without gaps',
        description: 'Closes the gaps at the coast.',
        status: 'pending',
        branch: 'main',
        absolute_url: 'https://reviews.example.com/r/42/',
        target_people: [{ href: 'https://reviews.example.com/api/users/ben/', title: 'ben' }],
        target_groups: [],
        links: {
          repository: { title: 'atlas', href: 'https://reviews.example.com/api/repositories/1/' },
          submitter: { title: 'ada', href: 'https://reviews.example.com/api/users/ada/' },
        },
      },
    },
  },
  verify: hmacSignature({ header: 'X-Hub-Signature', algorithm: 'sha1', prefix: 'sha1=' }),
  eventHeader: 'X-Reviewboard-Event',
  events: {
    review_request_published: changed('published'),
    review_request_reopened: changed('reopened'),
    review_request_closed: changed('closed'),
    review_published: on(withComments.extend({ review }), (payload) =>
      commented('Review', payload.review, payload, [payload.review.absolute_url, payload.review_request.absolute_url]),
    ),
    reply_published: on(withComments.extend({ reply: review }), (payload) =>
      commented('Reply', payload.reply, payload, [
        payload.reply.links.self?.href,
        payload.review_request.links.self?.href,
      ]),
    ),
  },
})
