import { z } from 'zod'
import { on, unknownEvent, type WebhookMessages, type WebhookRequest } from '../integration.ts'
import { link, md } from '../markdown.ts'
import * as forge from './forge.ts'

// The events of Gogs and of Gitea, which began as a copy of it and whose deliveries differ little.

const text = z.string().nullish()
const account = z.object({ username: text, login: text })
type Account = z.output<typeof account>
const branch = z.object({ ref: text })

const base = z.object({
  action: z.string().default(''),
  sender: account,
  repository: z.object({ name: z.string(), html_url: text, private: z.boolean().nullish() }),
})
type Base = z.output<typeof base>

const nameOf = (user: Account | null | undefined) => user?.username || user?.login || 'Someone'

function inRepository<Shape extends z.ZodRawShape>(
  shape: Shape,
  handle: (payload: z.output<z.ZodObject<Shape>> & Base, request: WebhookRequest) => WebhookMessages,
) {
  return on(base.extend(shape as z.ZodRawShape), (payload, request) => {
    const known = payload as unknown as z.output<z.ZodObject<Shape>> & Base
    return request.ignoresPrivate && known.repository.private === true ? null : handle(known, request)
  })
}

const issue = z.object({
  number: z.number(),
  title: z.string(),
  body: text,
  assignee: account.nullish(),
  assignees: z.array(account).nullish(),
})

const pull = issue.extend({
  id: z.number(),
  html_url: text,
  merged: z.boolean().nullish(),
  head_branch: text,
  base_branch: text,
  head: branch.nullish(),
  base: branch.nullish(),
  head_repo: z.object({ name: text }).nullish(),
})

/** The past tense of actions whose names are not. */
const ACTIONS: Readonly<Record<string, string>> = {
  synchronized: 'updated',
  synchronize: 'updated',
  label_updated: 'changed the labels of',
  label_cleared: 'removed the labels of',
  milestoned: 'added a milestone to',
  demilestoned: 'removed the milestone of',
  review_requested: 'requested a review of',
  review_request_removed: 'withdrew a request for a review of',
}

const assigneesOf = ({ assignee, assignees }: z.output<typeof issue>) =>
  (assignees ?? (assignee ? [assignee] : [])).map(nameOf)

/** The events of reviews in Gitea, as what happened to the pull request. */
const REVIEWS = [
  ['pull_request_approved', 'approved'],
  ['pull_request_rejected', 'requested changes to'],
  ['pull_request_comment', 'reviewed'],
] as const

export const gogsEvents = {
  push: inRepository(
    {
      ref: z.string(),
      before: text,
      after: text,
      compare_url: text,
      pusher: account.nullish(),
      total_commits: z.number().nullish(),
      commits: z
        .array(
          z.object({
            id: z.string(),
            message: text,
            url: text,
            author: z.object({ name: text, username: text }).nullish(),
          }),
        )
        .nullish(),
    },
    (payload, request) => {
      const name = nameOf(payload.pusher ?? payload.sender)
      const { ref, repository } = payload
      if (forge.isTag(ref)) return { topic: repository.name, content: forge.tag(name, forge.tagOf(ref)) }
      const branch = forge.branchOf(ref)
      if (!request.wantsBranch(branch)) return null
      const commits = (payload.commits ?? []).map(({ id, message, url, author }) => ({
        ...{ sha: id, message: message ?? '', url, author: author?.username || author?.name?.split(' ', 1)[0] },
      }))
      const content = forge.push({
        ...{ user: name, branch, compareUrl: payload.compare_url, commits },
        total: payload.total_commits ?? commits.length,
        isDeleted: forge.isNoCommit(payload.after),
        isNew: forge.isNoCommit(payload.before),
      })
      return { topic: forge.branchTopic(repository.name, branch), content }
    },
  ),
  create: inRepository({ ref: z.string(), ref_type: z.string() }, ({ ref, ref_type: type, repository, sender }) => {
    const url = repository.html_url ? `${repository.html_url}/src/${ref}` : null
    return {
      topic: forge.branchTopic(repository.name, ref),
      content: md`${nameOf(sender)} created the ${type} ${link(ref, url)}.`,
    }
  }),
  delete: inRepository({ ref: z.string(), ref_type: z.string() }, ({ ref, ref_type: type, repository, sender }) => ({
    topic: forge.branchTopic(repository.name, ref),
    content: md`${nameOf(sender)} deleted the ${type} ${ref}.`,
  })),
  fork: inRepository(
    { forkee: z.object({ name: text, html_url: text }).nullish() },
    ({ forkee, repository, sender }) => ({
      topic: forkee?.name ?? repository.name,
      content: md`${nameOf(sender)} forked ${link(forkee?.name ?? repository.name, forkee?.html_url)} to ${link(repository.name, repository.html_url)}.`,
    }),
  ),
  issues: inRepository({ issue }, ({ action, issue, repository, sender }) => ({
    topic: forge.issueTopic(repository.name, issue.number, issue.title),
    content: forge.subject({
      ...{ user: nameOf(sender), action: ACTIONS[action] ?? action, kind: 'issue', number: issue.number },
      url: `${repository.html_url}/issues/${issue.number}`,
      assignees: assigneesOf(issue),
      body: action === 'opened' || action === 'edited' ? issue.body : null,
    }),
  })),
  issue_comment: inRepository(
    { issue, comment: z.object({ body: text, html_url: text }) },
    ({ action, issue, comment, repository, sender }) => ({
      topic: forge.issueTopic(repository.name, issue.number, issue.title),
      content: forge.comment({
        ...{ user: nameOf(sender), action: action === 'created' ? 'commented' : action, commentUrl: comment.html_url },
        ...{ kind: 'issue', number: issue.number, url: `${repository.html_url}/issues/${issue.number}` },
        body: comment.body,
      }),
    }),
  ),
  pull_request: inRepository({ pull_request: pull }, ({ action, pull_request: pull, repository, sender }) => {
    const isMerged = action === 'closed' && pull.merged === true
    const showsBranches = action !== 'edited'
    return {
      topic: forge.pullTopic(repository.name, pull.id, pull.title),
      content: forge.subject({
        ...{ user: nameOf(sender), kind: 'PR', number: pull.number, url: pull.html_url },
        action: isMerged ? 'merged' : action === 'closed' ? 'closed without merge' : (ACTIONS[action] ?? action),
        source: showsBranches ? pull.head_branch || pull.head?.ref : null,
        target: showsBranches ? pull.base_branch || pull.base?.ref : null,
        assignees: action === 'opened' || action === 'assigned' ? assigneesOf(pull) : [],
        body: action === 'opened' ? pull.body : null,
      }),
    }
  }),
  ...Object.fromEntries(
    REVIEWS.map(([event, verb]) => [
      event,
      inRepository(
        { pull_request: pull, review: z.object({ content: text }).nullish() },
        ({ pull_request: pull, review, repository, sender }) => ({
          topic: forge.pullTopic(repository.name, pull.id, pull.title),
          content: forge.subject({
            ...{ user: nameOf(sender), action: verb, kind: 'PR', number: pull.number, url: pull.html_url },
            body: review?.content,
          }),
        }),
      ),
    ]),
  ),
  repository: inRepository({}, ({ action, repository, sender }) => ({
    topic: repository.name,
    content: md`${nameOf(sender)} ${action} the repository ${link(repository.name, action === 'deleted' ? null : repository.html_url)}.`,
  })),
  wiki: inRepository({ page: z.string(), comment: text }, ({ action, page, comment, repository, sender }) => ({
    topic: `${repository.name} / wiki pages`,
    content: md`${nameOf(sender)} ${action} the wiki page ${link(page, `${repository.html_url}/wiki/${encodeURIComponent(page.toWellFormed())}`)}${comment && md`: ${comment}`}.`,
  })),
  release: inRepository(
    { release: z.object({ tag_name: text, name: text, html_url: text, author: account.nullish() }) },
    ({ action, release, repository, sender }) => {
      const title = release.name || release.tag_name || 'a release'
      return {
        topic: `${repository.name} / ${release.tag_name} ${release.name ?? ''}`.trim(),
        content:
          action === ''
            ? unknownEvent('release')
            : md`${nameOf(release.author ?? sender)} ${action} the release ${link(title, release.html_url ?? repository.html_url)} for the tag ${release.tag_name}.`,
      }
    },
  ),
}
