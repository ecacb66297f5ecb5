import { z } from 'zod'
import * as forge from '../families/forge.ts'
import {
  ignore,
  integration,
  need,
  on,
  unknownEvent,
  type WebhookMessages,
  type WebhookRequest,
} from '../integration.ts'
import { bold, bullets, code, link, type MarkdownValue, md, paragraphs } from '../markdown.ts'
import { tokenHeader } from '../signatures.ts'

const text = z.string().nullish()
const user = z.object({ name: text, username: text })
const project = z.object({ name: text, web_url: text, homepage: text, visibility_level: z.number().nullish() })

const base = z.object({
  object_kind: text,
  user: user.nullish(),
  user_name: text,
  project: project.nullish(),
  repository: project.nullish(),
  assignee: user.nullish(),
  assignees: z.array(user).nullish(),
})
type Base = z.output<typeof base>

const repositoryOf = ({ project, repository }: Base): string => need(project?.name ?? repository?.name)
const homeOf = ({ project, repository }: Base): string =>
  project?.web_url ?? project?.homepage ?? repository?.homepage ?? ''
const nameOf = ({ user, user_name }: Base): string => user?.name ?? user_name ?? 'Someone'
const assigneesOf = ({ assignee, assignees }: Base): string[] =>
  (assignees ?? (assignee ? [assignee] : [])).map((one) => one.name ?? one.username ?? 'someone')

/** In GitLab, a project with this level is public. */
const PUBLIC = 20

function inProject<Shape extends z.ZodRawShape>(
  shape: Shape,
  handle: (payload: z.output<z.ZodObject<Shape>> & Base, request: WebhookRequest) => WebhookMessages,
) {
  return on(base.extend(shape as z.ZodRawShape), (payload, request) => {
    const known = payload as unknown as z.output<z.ZodObject<Shape>> & Base
    const level = known.project?.visibility_level
    if (request.ignoresPrivate && level !== undefined && level !== null && level !== PUBLIC) return null
    return handle(known, request)
  })
}

const commit = z.object({ id: z.string(), message: text, url: text, author: user.nullish() })

const push = inProject(
  {
    ref: z.string(),
    before: text,
    after: text,
    total_commits_count: z.number().nullish(),
    commits: z.array(commit).nullish(),
  },
  (payload, request) => {
    const branch = forge.branchOf(payload.ref)
    if (!request.wantsBranch(branch)) return null
    const commits = (payload.commits ?? []).map(({ id, message, url, author }) => ({
      ...{ sha: id, message: message ?? '', url, author: author?.name },
    }))
    const { before, after } = payload
    const isDeleted = forge.isNoCommit(after)
    const content = forge.push({
      ...{ user: nameOf(payload), branch, commits, total: payload.total_commits_count ?? commits.length },
      compareUrl: isDeleted || !before || !after ? null : `${homeOf(payload)}/-/compare/${before}...${after}`,
      isDeleted,
      isNew: forge.isNoCommit(before),
    })
    return { topic: forge.branchTopic(repositoryOf(payload), branch), content }
  },
)

const tagPush = inProject({ ref: z.string(), after: text }, (payload) => ({
  topic: repositoryOf(payload),
  content: forge.tag(nameOf(payload), forge.tagOf(payload.ref), { isDeleted: forge.isNoCommit(payload.after) }),
}))

const ISSUE_ACTIONS: Readonly<Record<string, string>> = {
  open: 'opened',
  close: 'closed',
  reopen: 'reopened',
  update: 'updated',
}

const issue = inProject(
  {
    object_attributes: z.object({
      iid: z.number(),
      title: z.string(),
      url: text,
      action: text,
      description: text,
    }),
  },
  (payload) => {
    const { iid, title, url, action, description } = payload.object_attributes
    const isOpened = (action ?? 'open') === 'open'
    return {
      topic: forge.issueTopic(repositoryOf(payload), iid, title),
      content: forge.subject({
        ...{
          user: nameOf(payload),
          action: ISSUE_ACTIONS[action ?? 'open'] ?? unknownEvent(`issue:${action}`),
          kind: 'issue',
        },
        ...{ number: iid, url, assignees: isOpened ? assigneesOf(payload) : [], body: isOpened ? description : null },
      }),
    }
  },
)

const MERGE_ACTIONS: Readonly<Record<string, string>> = {
  ...ISSUE_ACTIONS,
  merge: 'merged',
  approved: 'approved',
  approval: 'approved',
  unapproved: 'unapproved',
  unapproval: 'unapproved',
}

/** Returns the topic of a merge request: without its title, which may change, if the URL asks for that. */
const mergeTopic = (repository: string, number: number | string, title: string, { param }: WebhookRequest) =>
  forge.pullTopic(repository, number, param('use_merge_request_title') === 'false' ? '' : title, 'MR').trimEnd()

const mergeRequest = inProject(
  {
    object_attributes: z.object({
      iid: z.number(),
      title: z.string(),
      url: text,
      action: text,
      state: text,
      oldrev: text,
      description: text,
      source_branch: text,
      target_branch: text,
    }),
  },
  (payload, request) => {
    const attributes = payload.object_attributes
    const { iid, title, url, action, state } = attributes
    const isPush = action === 'update' && typeof attributes.oldrev === 'string' && attributes.oldrev !== ''
    const known = action ?? (state === 'opened' ? 'open' : state === 'closed' ? 'close' : 'update')
    const verb = isPush ? 'added commits to' : (MERGE_ACTIONS[known] ?? unknownEvent(`merge_request:${known}`))
    const showsBranches = known === 'open' || known === 'merge'
    const showsBody = known === 'open' || (known === 'update' && !isPush)
    return {
      topic: mergeTopic(repositoryOf(payload), iid, title, request),
      content: forge.subject({
        ...{ user: nameOf(payload), action: verb, kind: 'MR', number: iid, url },
        source: showsBranches ? attributes.source_branch : null,
        target: showsBranches ? attributes.target_branch : null,
        assignees: showsBody ? assigneesOf(payload) : [],
        body: showsBody ? attributes.description : null,
      }),
    }
  },
)

const numbered = z.object({ iid: z.number().nullish(), id: z.number().nullish(), title: z.string(), url: text })

const note = inProject(
  {
    object_attributes: z.object({ note: text, noteable_type: text, url: text }),
    commit: commit.nullish(),
    issue: numbered.nullish(),
    merge_request: numbered.nullish(),
    snippet: numbered.nullish(),
  },
  (payload, request) => {
    const { note: body, noteable_type: type, url: commentUrl } = payload.object_attributes
    const [repository, home] = [repositoryOf(payload), homeOf(payload)]
    const common = { user: nameOf(payload), action: 'commented', commentUrl, body }
    switch (type) {
      case 'Commit': {
        const { id, url: commitUrl } = need(payload.commit)
        const url = commitUrl ?? `${home}/-/commit/${id}`
        return { topic: repository, content: forge.comment({ ...common, kind: forge.shortSha(id), url }) }
      }
      case 'Issue': {
        const { iid, title, url = `${home}/-/issues/${iid}` } = need(payload.issue)
        const content = forge.comment({ ...common, kind: 'issue', number: iid, url })
        return { topic: forge.issueTopic(repository, iid ?? '?', title), content }
      }
      case 'MergeRequest': {
        const { iid, title, url = `${home}/-/merge_requests/${iid}` } = need(payload.merge_request)
        const content = forge.comment({ ...common, kind: 'MR', number: iid, url })
        return { topic: mergeTopic(repository, iid ?? '?', title, request), content }
      }
      case 'Snippet': {
        const { id, title, url = `${home}/-/snippets/${id}` } = need(payload.snippet)
        const content = forge.comment({ ...common, kind: 'snippet', number: id, url })
        return { topic: forge.pullTopic(repository, id ?? '?', title, 'snippet'), content }
      }
      default:
        return unknownEvent(`note:${type}`)
    }
  },
)

const wikiPage = inProject(
  { object_attributes: z.object({ title: z.string(), url: text, action: text }) },
  (payload) => {
    const { title, url, action } = payload.object_attributes
    const verb = { create: 'created', update: 'updated', delete: 'deleted' }[action ?? ''] ?? 'changed'
    return { topic: repositoryOf(payload), content: md`${nameOf(payload)} ${verb} the wiki page ${link(title, url)}.` }
  },
)

/** Statuses of jobs and pipelines, as what happened. */
const STATUSES: Readonly<Record<string, string>> = {
  created: 'was created',
  pending: 'is pending',
  running: 'started',
  success: 'succeeded',
  failed: 'failed',
  canceled: 'was canceled',
  skipped: 'was skipped',
  manual: 'waits to be started',
}

const statusOf = (status: string) => STATUSES[status] ?? `changed its status to ${status}`

const job = inProject(
  { ref: z.string(), build_name: text, build_stage: text, build_status: z.string() },
  (payload) => ({
    topic: forge.branchTopic(repositoryOf({ ...payload, project: null }), forge.branchOf(payload.ref)),
    content: md`The job ${payload.build_name ?? ''} of the stage ${payload.build_stage ?? ''} ${statusOf(payload.build_status)}.`,
  }),
)

const pipeline = inProject(
  {
    object_attributes: z.object({ id: z.number(), ref: z.string(), status: z.string(), url: text }),
    builds: z
      .array(
        z.object({
          id: z.number(),
          name: text,
          status: z.string(),
          artifacts_file: z.object({ filename: text }).nullish(),
        }),
      )
      .nullish(),
  },
  (payload) => {
    const { id, ref, status } = payload.object_attributes
    const home = homeOf(payload)
    const builds = (payload.builds ?? []).map(({ id, name, status, artifacts_file: artifacts }): MarkdownValue => {
      const files = artifacts?.filename
      return md`${link(name, `${home}/-/jobs/${id}`)} ${statusOf(status)}${
        files &&
        md` (artifacts: ${link('browse', `${home}/-/jobs/${id}/artifacts/browse`)}, ${link('download', `${home}/-/jobs/${id}/artifacts/download`)})`
      }`
    })
    return {
      topic: forge.branchTopic(repositoryOf(payload), forge.branchOf(ref)),
      content: paragraphs(
        md`${link('Pipeline', `${home}/-/pipelines/${id}`)} ${statusOf(status)}${builds.length > 0 ? ':' : '.'}`,
        bullets(builds),
      ),
    }
  },
)

const release = inProject({ name: text, tag: text, url: text, action: text }, (payload) => {
  const { name, tag, url, action } = payload
  const title = name || tag || 'A release'
  const verb =
    { create: 'was published', update: 'was updated', delete: 'was deleted' }[action ?? ''] ??
    unknownEvent(`release:${action}`)
  const details = tag && tag !== title && md` for the tag ${tag}`
  return {
    topic: repositoryOf(payload),
    content: md`The release ${action === 'delete' ? title : link(title, url)}${details} ${verb}.`,
  }
})

const deployment = inProject(
  {
    status: z.string(),
    environment: text,
    deployable_url: text,
    short_sha: text,
    commit_url: text,
    commit_title: text,
  },
  (payload) => {
    const {
      status,
      environment,
      deployable_url: url,
      short_sha: sha,
      commit_url: commitUrl,
      commit_title: title,
    } = payload
    const where = environment ?? 'unknown'
    const commit = sha && md` of ${link(sha, commitUrl)}${title && md` (${title})`}`
    return {
      topic: `${repositoryOf(payload)} / Deployment on ${where}`,
      content: md`The ${link('deployment', url)}${commit} on ${where}, started by ${nameOf(payload)}, ${statusOf(status)}.`,
    }
  },
)

const featureFlag = inProject(
  { object_attributes: z.object({ name: z.string(), active: z.boolean().nullish() }) },
  (payload) => ({
    topic: repositoryOf(payload),
    content: md`${nameOf(payload)} turned the feature flag ${code(payload.object_attributes.name)} ${payload.object_attributes.active ? 'on' : 'off'}.`,
  }),
)

const milestone = inProject(
  { action: text, object_attributes: z.object({ iid: z.number(), title: z.string() }) },
  (payload) => {
    const { iid, title } = payload.object_attributes
    const verb =
      { create: 'created', close: 'closed', reopen: 'reopened', delete: 'deleted', update: 'updated' }[
        payload.action ?? ''
      ] ?? unknownEvent(`milestone:${payload.action}`)
    return {
      topic: repositoryOf(payload),
      content: md`${nameOf(payload)} ${verb} the milestone ${link(title, `${homeOf(payload)}/-/milestones/${iid}`)}.`,
    }
  },
)

const vulnerability = inProject(
  { object_attributes: z.object({ title: z.string(), url: text, state: text, severity: text }) },
  (payload) => {
    const { title, url, state, severity } = payload.object_attributes
    const repository = payload.project?.name ?? payload.repository?.name
    return {
      topic: repository ? `${repository} / vulnerabilities` : 'vulnerabilities',
      content: md`The vulnerability ${link(title, url)}${severity && md` (severity: ${severity})`} is ${state ?? 'detected'}.`,
    }
  },
)

/** Tokens of projects and groups that expire soon. */
const accessToken = inProject(
  {
    group: z.object({ group_name: text, name: text }).nullish(),
    object_attributes: z.object({ name: text, expires_at: text }),
  },
  ({ project, group, object_attributes: token }) => ({
    topic: need(project?.name ?? group?.group_name ?? group?.name),
    content: md`The access token ${bold(token.name)} expires on ${token.expires_at ?? 'an unknown day'}.`,
  }),
)

/** People who are added to groups and removed from them. */
const member = on(
  z.object({ event_name: z.string(), group_name: z.string(), user_name: text, group_access: text }),
  ({ event_name: event, group_name: group, user_name: user, group_access: access }) => {
    const words: Readonly<Record<string, MarkdownValue>> = {
      user_add_to_group: md`was added to ${group}${access && md` as ${access}`}`,
      user_update_for_group: md`has another role in ${group}${access && md`: ${access}`}`,
      user_remove_from_group: md`was removed from ${group}`,
      user_access_request_to_group: md`asks to join ${group}`,
      user_access_request_denied_for_group: md`was not let into ${group}`,
    }
    return { topic: group, content: md`${user ?? 'Someone'} ${words[event] ?? unknownEvent(`member:${event}`)}.` }
  },
)

/** GitLab sends it with the body of another event when a user tests the webhook. */
const testHook = inProject({}, (payload) => ({
  topic: repositoryOf(payload),
  content: md`GitLab webhook for ${bold(repositoryOf(payload))} is set up. Events will appear here.`,
}))

const handlers = {
  push,
  tag_push: tagPush,
  issue,
  merge_request: mergeRequest,
  note,
  wiki_page: wikiPage,
  build: job,
  pipeline,
  release,
}

export const gitlab = integration({
  name: 'gitlab',
  title: 'GitLab',
  category: 'Version control',
  knowsPrivate: true,
  summary: 'Pushes, merge requests, issues, pipelines',
  logo: { letter: 'G', color: '#fc6d26' },
  steps: [
    'In your project on GitLab, open **Settings**, then **Webhooks**, and click **Add new webhook**.',
    'Paste the URL into **URL**. If you want deliveries to be verified, choose a secret token, and enter the same as **Secret** under **More options** of the integration.',
    'Choose the events to send, and click **Add webhook**.',
  ],
  sample: {
    headers: { 'X-Gitlab-Event': 'Merge Request Hook' },
    payload: {
      object_kind: 'merge_request',
      user: { name: 'Ada', username: 'ada' },
      project: { name: 'atlas', path_with_namespace: 'example/atlas', web_url: 'https://gitlab.com/example/atlas' },
      object_attributes: {
        iid: 42,
        title: 'Draw maps without gaps',
        description: 'Closes #40.',
        action: 'open',
        state: 'opened',
        source_branch: 'gaps',
        target_branch: 'main',
        url: 'https://gitlab.com/example/atlas/-/merge_requests/42',
      },
    },
  },
  options: [
    {
      name: 'use_merge_request_title',
      label: 'The topics of merge requests contain their titles, unless this is `false`.',
    },
  ],
  verify: tokenHeader('X-Gitlab-Token'),
  eventHeader: 'X-Gitlab-Event',
  events: {
    'Push Hook': push,
    'Tag Push Hook': tagPush,
    'Issue Hook': issue,
    'Confidential Issue Hook': issue,
    'Merge Request Hook': mergeRequest,
    'Note Hook': note,
    'Confidential Note Hook': note,
    'Wiki Page Hook': wikiPage,
    'Job Hook': job,
    'Build Hook': job,
    'Pipeline Hook': pipeline,
    'Release Hook': release,
    'Test Hook': testHook,
    'Deployment Hook': deployment,
    'Feature Flag Hook': featureFlag,
    'Milestone Hook': milestone,
    'Vulnerability Hook': vulnerability,
    'Resource Access Token Hook': accessToken,
    'Member Hook': member,
    'Emoji Hook': ignore,
    'System Hook': (payload, request) => {
      const { object_kind: kind = '' } = z.object({ object_kind: z.string() }).safeParse(payload).data ?? {}
      return Object.hasOwn(handlers, kind)
        ? handlers[kind as keyof typeof handlers](payload, request)
        : unknownEvent(`System Hook:${kind}`)
    },
  },
})
