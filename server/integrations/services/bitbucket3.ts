import { z } from 'zod'
import * as forge from '../families/forge.ts'
import { ignore, integration, on, parse, unknownEvent, type WebhookMessage } from '../integration.ts'
import { bold, code, enumerate, join, link, md, paragraphs, quoteMarkdown } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const links = z.object({ self: z.array(z.object({ href: text })).nullish() }).nullish()
const account = z.object({ name: text, displayName: text, links })
type Account = z.output<typeof account>

const urlOf = (thing: { links?: z.output<typeof links> } | null | undefined) => thing?.links?.self?.[0]?.href

const nameOf = (user: Account) => user.name ?? user.displayName ?? 'Someone'
const linked = (user: Account) => link(nameOf(user), urlOf(user))

const repository = z.object({ name: z.string(), links, project: z.object({ key: text, links }).nullish() })
type Repository = z.output<typeof repository>
const base = z.object({ actor: account })

const commitUrl = (repository: Repository, sha: string) => {
  const home = urlOf(repository)?.replace(/\/browse\/?$/, '')
  return home === undefined ? null : `${home}/commits/${sha}`
}

const comment = z.object({ text })

const commitComment = (verb: string) =>
  on(base.extend({ comment, commit: z.string(), repository }), ({ actor, comment, commit, repository }) => {
    const on = link(forge.shortSha(commit), commitUrl(repository, commit))
    const words = {
      commented: md`commented on`,
      edited: md`edited their comment on`,
      deleted: md`deleted their comment on`,
    }[verb]
    return {
      topic: repository.name,
      content: paragraphs(md`${linked(actor)} ${words} ${on}:`, quoteMarkdown(comment.text)),
    }
  })

const ref = z.object({ displayId: z.string(), type: z.string() })

const refsChanged = on(
  base.extend({
    repository,
    changes: z.array(z.object({ ref, type: z.string(), fromHash: text, toHash: z.string() })),
  }),
  ({ actor, repository, changes }, request) =>
    changes.flatMap(({ ref, type, toHash }): WebhookMessage[] => {
      if (ref.type === 'TAG') {
        const content = forge.tag(nameOf(actor), ref.displayId, {
          userUrl: urlOf(actor) ?? null,
          isDeleted: type === 'DELETE',
        })
        return [{ topic: repository.name, content }]
      }
      if (!request.wantsBranch(ref.displayId)) return []
      const verb = { ADD: 'created', DELETE: 'deleted', UPDATE: 'pushed to' }[type] ?? 'changed'
      const head =
        type === 'DELETE' ? null : md` Its head is now ${link(forge.shortSha(toHash), commitUrl(repository, toHash))}.`
      return [
        {
          topic: forge.branchTopic(repository.name, ref.displayId),
          content: md`${linked(actor)} ${verb} the branch ${ref.displayId}.${head}`,
        },
      ]
    }),
)

const pull = z.object({
  id: z.number(),
  title: z.string(),
  description: text,
  links,
  fromRef: z.object({ displayId: text }).nullish(),
  toRef: z.object({ displayId: text, repository }),
  reviewers: z.array(z.object({ user: account })).nullish(),
})
type Pull = z.output<typeof pull>

const topicOf = ({ id, title, toRef }: Pull) => forge.pullTopic(toRef.repository.name, id, title)

function pullEvent(verb: string, { isOpened = false, isMerged = false, showsReviewers = false } = {}) {
  return on(base.extend({ pullRequest: pull }), ({ actor, pullRequest: pull }) => {
    const [from, to] = [pull.fromRef?.displayId, pull.toRef.displayId]
    // The file of another repository has the same branch name on both sides.
    const branches = [
      (isOpened || isMerged) && from && md`from ${code(from)}`,
      (isOpened || isMerged) && to && md`to ${code(to)}`,
    ]
    const reviewers = showsReviewers ? (pull.reviewers ?? []).map(({ user }) => linked(user)) : []
    const body = isOpened || showsReviewers ? pull.description : null
    return {
      topic: topicOf(pull),
      content: paragraphs(
        join(
          [
            md`${linked(actor)} ${verb} ${link(`PR #${pull.id}`, urlOf(pull))}`,
            ...branches,
            reviewers.length > 0 && md`(to be reviewed by ${enumerate(reviewers)})`,
          ],
          ' ',
        ),
        quoteMarkdown(body),
      ),
    }
  })
}

const pullComment = (verb: string) =>
  on(base.extend({ pullRequest: pull, comment }), ({ actor, pullRequest: pull, comment }) => ({
    topic: topicOf(pull),
    content: paragraphs(
      md`${linked(actor)} ${verb} ${link(`PR #${pull.id}`, urlOf(pull))}:`,
      quoteMarkdown(comment.text),
    ),
  }))

const named = z.object({ name: z.string(), links })

export const bitbucket3 = integration({
  name: 'bitbucket3',
  title: 'Bitbucket Data Center',
  category: 'Version control',
  summary: 'Pushes, pull requests, comments',
  logo: { letter: 'B', color: '#0052cc' },
  steps: [
    'In your repository on Bitbucket, open **Repository settings**, then **Webhooks**, and click **Create webhook**.',
    'Give it a title, and paste the URL into **URL**. If you want deliveries to be verified, choose a secret, and enter the same as **Secret** under **More options** of the integration.',
    'Choose the events to send, and click **Save**.',
  ],
  sample: {
    payload: {
      eventKey: 'pr:opened',
      actor: {
        name: 'ada',
        displayName: 'Ada',
        links: { self: [{ href: 'https://bitbucket.example.com/users/ada' }] },
      },
      pullRequest: {
        id: 42,
        title: 'Draw maps without gaps',
        description: 'Closes #40.',
        fromRef: { displayId: 'gaps' },
        toRef: { displayId: 'main', repository: { name: 'atlas' } },
        reviewers: [],
        links: { self: [{ href: 'https://bitbucket.example.com/projects/EX/repos/atlas/pull-requests/42' }] },
      },
    },
  },
  verify: hmacSignature({ header: 'X-Hub-Signature', prefix: 'sha256=' }),
  eventOf: (payload) => {
    const { eventKey, test } = parse(z.object({ eventKey: text, test: z.boolean().nullish() }), payload)
    return eventKey ?? (test === true ? 'diagnostics:ping' : unknownEvent('unknown'))
  },
  events: {
    'diagnostics:ping': () => ({
      topic: 'Bitbucket Server Ping',
      content: md`Bitbucket reached this URL. Events will appear here.`,
    }),
    'repo:comment:added': commitComment('commented'),
    'repo:comment:edited': commitComment('edited'),
    'repo:comment:deleted': commitComment('deleted'),
    'repo:forked': on(
      base.extend({ repository: repository.extend({ origin: named.nullish() }) }),
      ({ actor, repository }) => ({
        topic: repository.origin?.name ?? repository.name,
        content: md`${linked(actor)} forked the repository to ${link(repository.name, urlOf(repository))}.`,
      }),
    ),
    'repo:modified': on(base.extend({ old: named, new: named }), ({ actor, old, new: changed }) => ({
      topic: changed.name,
      content:
        old.name === changed.name
          ? md`${linked(actor)} changed the repository.`
          : md`${linked(actor)} renamed the repository from ${bold(old.name)} to ${bold(changed.name)}.`,
    })),
    'repo:refs_changed': refsChanged,
    'repo:secret_detected': on(base.extend({ repository }), ({ actor, repository }) => ({
      topic: repository.name,
      content: md`${linked(actor)} pushed a secret to ${link(repository.name, urlOf(repository))}.`,
    })),
    'mirror:repo_synchronized': ignore,
    'pr:opened': pullEvent('opened', { isOpened: true, showsReviewers: true }),
    'pr:from_ref_updated': pullEvent('updated'),
    'pr:modified': pullEvent('modified', { showsReviewers: true }),
    'pr:deleted': pullEvent('deleted'),
    'pr:declined': pullEvent('declined'),
    'pr:merged': pullEvent('merged', { isMerged: true }),
    'pr:comment:added': pullComment('commented on'),
    'pr:comment:edited': pullComment('edited their comment on'),
    'pr:comment:deleted': pullComment('deleted their comment on'),
    'pr:reviewer:approved': pullEvent('approved'),
    'pr:reviewer:unapproved': pullEvent('unapproved'),
    'pr:reviewer:needs_work': pullEvent('marked as needing work:'),
    'pr:reviewer:changes_requested': pullEvent('requested changes to'),
    'pr:reviewer:updated': pullEvent('changed the reviewers of', { showsReviewers: true }),
  },
})
