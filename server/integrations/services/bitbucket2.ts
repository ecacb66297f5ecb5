import { z } from 'zod'
import * as forge from '../families/forge.ts'
import { integration, on, type WebhookMessage, type WebhookMessages, type WebhookRequest } from '../integration.ts'
import { bold, bullets, link, md, paragraphs } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const links = z.object({ html: z.object({ href: text }).nullish() }).nullish()
const account = z.object({ nickname: text, username: text, display_name: text })
type Account = z.output<typeof account>

const base = z.object({
  actor: account.nullish(),
  repository: z.object({ name: z.string(), full_name: text, links, is_private: z.boolean().nullish() }),
})
type Base = z.output<typeof base>

const nameOf = (user: Account | null | undefined) => user?.display_name ?? user?.nickname ?? user?.username ?? 'Someone'
const urlOf = (thing: { links?: z.output<typeof links> } | null | undefined) => thing?.links?.html?.href

const content = z.object({ raw: text }).nullish()
const author = z.object({ raw: text, user: account.nullish() }).nullish()
const commit = z.object({ hash: z.string(), message: text, links, author })
const reference = z.object({ name: z.string(), type: text, links, target: commit.nullish() })

const change = z.object({
  new: reference.nullish(),
  old: reference.nullish(),
  created: z.boolean().nullish(),
  closed: z.boolean().nullish(),
  forced: z.boolean().nullish(),
  truncated: z.boolean().nullish(),
  links,
  commits: z.array(commit).nullish(),
})

const pushPayload = base.extend({ push: z.object({ changes: z.array(change) }) })

function describeChange(
  { actor, repository }: Base,
  given: z.output<typeof change>,
  request: WebhookRequest,
): WebhookMessage | null {
  const reference = given.new ?? given.old
  if (!reference) return null
  const user = nameOf(actor)
  const isDeleted = !given.new
  if (reference.type === 'tag' || reference.type === 'annotated_tag') {
    const content = forge.tag(user, reference.name, { url: urlOf(reference), isDeleted })
    return { topic: repository.name, content, event: 'push' }
  }
  if (!request.wantsBranch(reference.name)) return null
  const commits = (given.commits ?? []).map(({ hash, message, links, author }) => ({
    ...{ sha: hash, message: message ?? '', url: links?.html?.href },
    author: author?.user ? nameOf(author.user) : author?.raw && forge.nameIn(author.raw),
  }))
  const content = forge.push({
    ...{
      user,
      branch: reference.name,
      compareUrl: isDeleted ? null : (given.links?.html?.href ?? urlOf(reference)),
      commits,
    },
    ...{ isDeleted, isForced: given.forced === true, isNew: given.created === true },
  })
  return { topic: forge.branchTopic(repository.name, reference.name), content, event: 'push' }
}

const push = on(pushPayload, (payload, request): WebhookMessages => {
  const messages = payload.push.changes.map((change) => describeChange(payload, change, request))
  return messages.filter((message) => message !== null)
})

const pull = z.object({
  id: z.number(),
  title: z.string(),
  description: text,
  links,
  state: text,
  source: z.object({ branch: z.object({ name: text }).nullish() }).nullish(),
  destination: z.object({ branch: z.object({ name: text }).nullish() }).nullish(),
  reviewers: z.array(account).nullish(),
})

const pullEvent = (verb: string) =>
  on(base.extend({ pullrequest: pull }), ({ actor, repository, pullrequest: pull }) => {
    const isOpened = verb === 'opened'
    const showsBranches = isOpened || verb === 'updated' || verb === 'merged'
    const showsPeople = isOpened || verb === 'updated'
    return {
      topic: forge.pullTopic(repository.name, pull.id, pull.title),
      content: forge.subject({
        ...{ user: nameOf(actor), action: verb, kind: 'PR', number: pull.id, url: urlOf(pull) },
        source: showsBranches ? pull.source?.branch?.name : null,
        target: showsBranches ? pull.destination?.branch?.name : null,
        assignees: showsPeople ? (pull.reviewers ?? []).map(nameOf) : [],
        body: showsPeople ? pull.description : null,
      }),
    }
  })

const comment = z.object({ content, links, user: account.nullish() })

const pullComment = (verb: string) =>
  on(base.extend({ pullrequest: pull, comment }), ({ actor, repository, pullrequest: pull, comment }) => ({
    topic: forge.pullTopic(repository.name, pull.id, pull.title),
    content: forge.comment({
      ...{
        user: nameOf(actor),
        action: verb,
        commentUrl: urlOf(comment),
        kind: 'PR',
        number: pull.id,
        url: urlOf(pull),
      },
      body: comment.content?.raw,
    }),
  }))

const issue = z.object({ id: z.number(), title: z.string(), links, assignee: account.nullish(), content })

const issueEvent = (verb: string) =>
  on(base.extend({ issue }), ({ actor, repository, issue }) => ({
    topic: forge.issueTopic(repository.name, issue.id, issue.title),
    content: forge.subject({
      ...{ user: nameOf(actor), action: verb, kind: 'issue', number: issue.id, url: urlOf(issue) },
      assignees: verb === 'opened' && issue.assignee ? [nameOf(issue.assignee)] : [],
      body: verb === 'opened' ? issue.content?.raw : null,
    }),
  }))

const commitStatus = on(
  base.extend({
    commit_status: z.object({
      key: text,
      state: text,
      name: text,
      url: text,
      description: text,
      links: z.object({ commit: z.object({ href: text }).nullish() }).nullish(),
    }),
  }),
  ({ repository, commit_status: status }) => {
    const sha = status.links?.commit?.href?.split('/').at(-1) ?? ''
    const commitUrl = urlOf(repository) ? `${urlOf(repository)}/commits/${sha}` : null
    return {
      topic: repository.name,
      content: md`${link(status.key ?? status.name, status.url)} reports ${status.state} for ${link(forge.shortSha(sha), commitUrl)}.`,
    }
  },
)

/** The fields of a repository whose changes are worth a message. */
const REPOSITORY_FIELDS = ['website', 'name', 'language', 'full_name', 'description'] as const

const wordsOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '')

const events = {
  'repo:push': push,
  'repo:fork': on(
    base.extend({ fork: z.object({ name: z.string(), full_name: text, links }) }),
    ({ actor, repository, fork }) => ({
      topic: repository.name,
      content: md`${nameOf(actor)} forked the repository to ${link(fork.full_name ?? fork.name, urlOf(fork))}.`,
    }),
  ),
  'repo:updated': on(
    base.extend({
      changes: z.record(z.string(), z.object({ old: z.unknown().optional(), new: z.unknown().optional() })).nullish(),
    }),
    ({ actor, repository, changes }) => {
      const items = REPOSITORY_FIELDS.map((field) => {
        const [old, changed] = [wordsOf(changes?.[field]?.old), wordsOf(changes?.[field]?.new)]
        const name = field.replace('_', ' ')
        if (changed === '') return old !== '' && md`the ${name} ${bold(old)} was removed`
        return md`the ${name} is ${bold(changed)} now${old !== '' && md`, not ${bold(old)}`}`
      })
      const list = bullets(items)
      if (list.markdown === '') return null
      return {
        topic: repository.name,
        content: paragraphs(md`${nameOf(actor)} changed the repository ${bold(repository.name)}:`, list),
      }
    },
  ),
  'repo:commit_comment_created': on(
    base.extend({ comment: comment.extend({ commit: commit.nullish() }), commit: commit.nullish() }),
    ({ actor, repository, comment, commit }) => {
      const on = comment.commit ?? commit
      return {
        topic: repository.name,
        content: forge.comment({
          ...{ user: nameOf(actor), action: 'commented', commentUrl: urlOf(comment), body: comment.content?.raw },
          ...{ kind: forge.shortSha(on?.hash ?? 'a commit'), url: urlOf(on) },
        }),
      }
    },
  ),
  'repo:commit_status_created': commitStatus,
  'repo:commit_status_updated': commitStatus,
  'repo:transfer': on(base, ({ actor, repository }) => ({
    topic: repository.name,
    content: md`${nameOf(actor)} transferred the repository to ${link(repository.full_name ?? repository.name, urlOf(repository))}.`,
  })),
  'repo:deleted': on(base, ({ actor, repository }) => ({
    topic: repository.name,
    content: md`${nameOf(actor)} deleted the repository ${bold(repository.name)}.`,
  })),
  'repo:imported': on(base, ({ actor, repository }) => ({
    topic: repository.name,
    content: md`${nameOf(actor)} imported the repository ${link(repository.full_name ?? repository.name, urlOf(repository))}.`,
  })),
  'issue:created': issueEvent('opened'),
  'issue:updated': issueEvent('updated'),
  'issue:comment_created': on(base.extend({ issue, comment }), ({ actor, repository, issue, comment }) => ({
    topic: forge.issueTopic(repository.name, issue.id, issue.title),
    content: forge.comment({
      ...{ user: nameOf(actor), action: 'commented', commentUrl: urlOf(comment), kind: 'issue', number: issue.id },
      ...{ url: urlOf(issue), body: comment.content?.raw },
    }),
  })),
  'pullrequest:created': pullEvent('opened'),
  'pullrequest:updated': pullEvent('updated'),
  'pullrequest:approved': pullEvent('approved'),
  'pullrequest:unapproved': pullEvent('unapproved'),
  'pullrequest:fulfilled': pullEvent('merged'),
  'pullrequest:rejected': pullEvent('rejected'),
  'pullrequest:changes_request_created': pullEvent('requested changes to'),
  'pullrequest:changes_request_removed': pullEvent('no longer requests changes to'),
  'pullrequest:comment_created': pullComment('commented'),
  'pullrequest:comment_updated': pullComment('updated'),
  'pullrequest:comment_deleted': pullComment('deleted'),
  'pullrequest:comment_resolved': pullComment('resolved'),
  'pullrequest:comment_reopened': pullComment('reopened'),
}

/** Finds the kind of event by the content, for deliveries without the header. */
function guessEvent(payload: unknown): string {
  const shape = z.record(z.string(), z.unknown()).safeParse(payload).data ?? {}
  const has = (name: string) => Object.hasOwn(shape, name)
  if (has('push')) return 'repo:push'
  if (has('fork')) return 'repo:fork'
  if (has('commit_status')) return 'repo:commit_status_created'
  if (has('comment') && has('issue')) return has('changes') ? 'issue:updated' : 'issue:comment_created'
  if (has('comment') && has('pullrequest')) return 'pullrequest:comment_created'
  if (has('comment')) return 'repo:commit_comment_created'
  if (has('issue')) return has('changes') ? 'issue:updated' : 'issue:created'
  if (has('changes_request')) return 'pullrequest:changes_request_created'
  if (has('approval')) return 'pullrequest:approved'
  if (has('pullrequest'))
    return (
      { MERGED: 'pullrequest:fulfilled', DECLINED: 'pullrequest:rejected' }[stateOf(shape['pullrequest'])] ??
      'pullrequest:created'
    )
  return has('changes') ? 'repo:updated' : 'repo:transfer'
}

const stateOf = (pull: unknown) => z.object({ state: z.string() }).safeParse(pull).data?.state ?? ''

export const bitbucket2 = integration({
  name: 'bitbucket2',
  title: 'Bitbucket Cloud',
  category: 'Version control',
  summary: 'Pushes, pull requests, issues, builds',
  logo: { letter: 'B', color: '#2684ff' },
  steps: [
    'In your repository on Bitbucket, open **Repository settings**, then **Webhooks**, and click **Add webhook**.',
    'Give it a title, and paste the URL into **URL**.',
    'Choose the events to send, and click **Save**.',
  ],
  sample: {
    headers: { 'X-Event-Key': 'pullrequest:created' },
    payload: {
      actor: { nickname: 'Ada' },
      repository: {
        name: 'atlas',
        full_name: 'example/atlas',
        links: { html: { href: 'https://bitbucket.org/example/atlas' } },
      },
      pullrequest: {
        id: 42,
        title: 'Draw maps without gaps',
        description: 'Closes #40.',
        state: 'OPEN',
        source: { branch: { name: 'gaps' } },
        destination: { branch: { name: 'main' } },
        links: { html: { href: 'https://bitbucket.org/example/atlas/pull-requests/42' } },
      },
    },
  },
  verify: hmacSignature({ header: 'X-Hub-Signature', prefix: 'sha256=' }),
  // Pushes are sure by their content; some come with the header of another event.
  eventOf: (payload, request) => {
    const guess = guessEvent(payload)
    return guess === 'repo:push' ? guess : (request.header('X-Event-Key') ?? guess)
  },
  events,
})
