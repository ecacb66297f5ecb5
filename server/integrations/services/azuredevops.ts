import { z } from 'zod'
import * as forge from '../families/forge.ts'
import { eventIn, integration, need, on } from '../integration.ts'
import { foreignMarkdown, link, md } from '../markdown.ts'

const text = z.string().nullish()
const person = z.object({ displayName: text })

const project = z.object({ name: text, visibility: text }).nullish()
const repository = z.object({ name: z.string(), remoteUrl: text, project })

const isPrivate = (given: z.output<typeof project>) => given?.visibility === 'private'

const commit = z.object({ commitId: z.string(), comment: text, author: z.object({ name: text }).nullish() })

const push = on(
  z.object({
    resource: z.object({
      repository,
      pushedBy: person.nullish(),
      refUpdates: z.array(z.object({ name: z.string(), oldObjectId: text, newObjectId: text })),
      commits: z.array(commit).nullish(),
    }),
  }),
  ({ resource: { repository, pushedBy, refUpdates, commits } }, request) => {
    if (request.ignoresPrivate && isPrivate(repository.project)) return null
    const { name: ref, oldObjectId: before, newObjectId: after } = need(refUpdates[0])
    const user = pushedBy?.displayName ?? 'Someone'
    if (forge.isTag(ref))
      return {
        topic: repository.name,
        content: forge.tag(user, forge.tagOf(ref), { isDeleted: forge.isNoCommit(after) }),
      }
    const branch = forge.branchOf(ref)
    if (!request.wantsBranch(branch)) return null
    const home = repository.remoteUrl ?? ''
    const content = forge.push({
      ...{ user, branch, isDeleted: forge.isNoCommit(after), isNew: forge.isNoCommit(before) },
      compareUrl: `${home}/branchCompare?baseVersion=GC${before}&targetVersion=GC${after}&_a=files`,
      commits: (commits ?? []).map(({ commitId, comment, author }) => ({
        ...{ sha: commitId, message: comment ?? '', url: `${home}/commit/${commitId}`, author: author?.name },
      })),
    })
    return { topic: forge.branchTopic(repository.name, branch), content }
  },
)

const pull = z.object({
  repository,
  pullRequestId: z.number(),
  title: z.string(),
  description: text,
  status: text,
  mergeStatus: text,
  sourceRefName: text,
  targetRefName: text,
  createdBy: person.nullish(),
  closedBy: person.nullish(),
  _links: z.object({ web: z.object({ href: text }).nullish() }).nullish(),
})

/** The events that Azure DevOps itself puts into words: those of work items, builds, releases, pipelines and the like. */
const DESCRIBED = [
  ...['build.complete', 'message.posted', 'tfvc.checkin'],
  ...['git.repo.created', 'git.repo.deleted', 'git.repo.forked', 'git.repo.renamed', 'git.repo.statuschanged'],
  'ms.vss-code.git-pullrequest-comment-event',
  ...['workitem.created', 'workitem.updated', 'workitem.commented', 'workitem.deleted', 'workitem.restored'],
  ...['ms.vss-release.release-created-event', 'ms.vss-release.release-abandoned-event'],
  ...['ms.vss-release.deployment-started-event', 'ms.vss-release.deployment-completed-event'],
  ...['ms.vss-release.deployment-approval-pending-event', 'ms.vss-release.deployment-approval-completed-event'],
  ...['ms.vss-pipelines.run-state-changed-event', 'ms.vss-pipelines.stage-state-changed-event'],
  ...['ms.vss-pipelines.job-state-changed-event', 'ms.vss-pipelinechecks-events.approval-pending'],
  'ms.vss-pipelinechecks-events.approval-completed',
] as const

const named = z.object({ name: text }).nullish()

const described = on(
  z.object({
    message: z.object({ markdown: text, text }).nullish(),
    resource: z
      .object({
        ...{ repository: z.object({ name: text, project }).nullish(), project, definition: named, pipeline: named },
        pullRequest: pull.partial().nullish(),
        fields: z.record(z.string(), z.unknown()).nullish(),
        revision: z.object({ fields: z.record(z.string(), z.unknown()).nullish() }).nullish(),
      })
      .nullish(),
  }),
  ({ message, resource }, request) => {
    const { pullRequest: pull, repository } = resource ?? {}
    const projects = [resource?.project, repository?.project, pull?.repository?.project]
    if (request.ignoresPrivate && projects.some(isPrivate)) return null
    const fields = resource?.revision?.fields ?? resource?.fields
    const projectName = fields?.['System.TeamProject']
    const topic =
      pull?.repository && pull.pullRequestId && pull.title
        ? forge.pullTopic(pull.repository.name, pull.pullRequestId, pull.title)
        : (repository?.name ??
          resource?.definition?.name ??
          resource?.pipeline?.name ??
          (typeof projectName === 'string' ? projectName : resource?.project?.name))
    const content = foreignMarkdown(message?.markdown || need(message?.text))
    return { topic: topic || 'Azure DevOps', content }
  },
)

const pullEvent = (verb: 'created' | 'updated' | 'merged') =>
  on(z.object({ resource: pull, detailedMessage: z.object({ markdown: text }).nullish() }), (payload, request) => {
    const { resource: pull, detailedMessage: details } = payload
    const { repository, pullRequestId: number, title } = pull
    // Attempts to merge are made after every push, to find out whether there are conflicts.
    if (verb === 'merged' && (pull.status !== 'completed' || pull.mergeStatus !== 'succeeded')) return null
    if (request.ignoresPrivate && isPrivate(repository.project)) return null
    const user = pull.closedBy?.displayName ?? pull.createdBy?.displayName ?? 'Someone'
    const topic = forge.pullTopic(repository.name, number, title)
    const url = pull._links?.web?.href
    const abandoned = pull.status === 'abandoned'
    if (abandoned) return { topic, content: md`${user} abandoned ${link(`PR #${number}`, url)}.` }
    const showsBranches = verb !== 'updated'
    return {
      topic,
      content: forge.subject({
        ...{ user, action: verb, kind: 'PR', number, url },
        source: showsBranches ? forge.branchOf(pull.sourceRefName ?? '') : null,
        target: showsBranches ? forge.branchOf(pull.targetRefName ?? '') : null,
        body: verb === 'created' ? pull.description : verb === 'updated' ? details?.markdown : null,
      }),
    }
  })

export const azuredevops = integration({
  name: 'azuredevops',
  title: 'Azure DevOps',
  category: 'Version control',
  knowsPrivate: true,
  summary: 'Pushes, pull requests, work items, builds',
  logo: { letter: 'A', color: '#0078d7' },
  steps: [
    'In your project on Azure DevOps, open **Project settings**, then **Service hooks**, and add **Web Hooks**.',
    'Choose an event, for example **Code pushed** or **Work item created**.',
    'Paste the URL, keep **All** for the resource details, and click **Finish**.',
  ],
  sample: {
    payload: {
      eventType: 'git.pullrequest.created',
      resource: {
        repository: { name: 'atlas' },
        pullRequestId: 42,
        title: 'Draw maps without gaps',
        description: 'Closes #40.',
        createdBy: { displayName: 'Ada' },
        sourceRefName: 'refs/heads/gaps',
        targetRefName: 'refs/heads/main',
        _links: { web: { href: 'https://dev.azure.com/example/atlas/_git/atlas/pullrequest/42' } },
      },
    },
  },
  eventOf: eventIn('eventType'),
  events: {
    'git.push': push,
    'git.pullrequest.created': pullEvent('created'),
    'git.pullrequest.updated': pullEvent('updated'),
    'git.pullrequest.merged': pullEvent('merged'),
    ...Object.fromEntries(DESCRIBED.map((event) => [event, described])),
  },
})
