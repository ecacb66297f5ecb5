import { z } from 'zod'
import * as forge from '../families/forge.ts'
import {
  badPayload,
  ignore,
  integration,
  on,
  unknownEvent,
  type WebhookMessages,
  type WebhookRequest,
} from '../integration.ts'
import { bold, bullets, code, link, type MarkdownValue, md, paragraphs, quote, quoteMarkdown } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const account = z.object({ login: z.string(), html_url: text })
type Account = z.output<typeof account>
const team = z.object({ name: z.string(), html_url: text, description: text, privacy: text })
const repository = z.object({ name: z.string(), full_name: text, html_url: text, private: z.boolean().nullish() })
const base = z.object({
  action: text,
  sender: account.nullish(),
  repository: repository.nullish(),
  organization: account.nullish(),
})

const withRepository = base.extend({ action: z.string().default(''), repository, sender: account })
type Common = z.output<typeof withRepository>

const user = ({ login, html_url }: Account) => link(login, html_url)

/** Returns a handler of events of a repository. Those of private repositories may be left out. */
function inRepository<Shape extends z.ZodRawShape>(
  shape: Shape,
  handle: (payload: z.output<z.ZodObject<Shape>> & Common, request: WebhookRequest) => WebhookMessages,
) {
  return on(withRepository.extend(shape as z.ZodRawShape), (payload, request) => {
    const known = payload as unknown as z.output<z.ZodObject<Shape>> & Common
    if (request.ignoresPrivate && known.repository.private === true) return null
    return handle(known, request)
  })
}

const commit = z.object({
  id: z.string(),
  message: z.string(),
  url: text,
  author: z.object({ name: text, username: text }).nullish(),
})

const push = inRepository(
  {
    sender: account.nullish(),
    ref: z.string(),
    before: text,
    after: text,
    compare: text,
    forced: z.boolean().nullish(),
    deleted: z.boolean().nullish(),
    created: z.boolean().nullish(),
    pusher: z.object({ name: text }).nullish(),
    head_commit: commit.nullish(),
    commits: z.array(commit).default([]),
  },
  (payload, request) => {
    const { ref, sender, pusher, repository, compare } = payload
    const name = pusher?.name ?? (sender as Account | null | undefined)?.login ?? 'Someone'
    if (forge.isTag(ref)) {
      const isDeleted = payload.deleted === true
      const url = repository.html_url ? `${repository.html_url}/releases/tag/${forge.tagOf(ref)}` : null
      return {
        event: 'push',
        topic: repository.name,
        content: forge.tag(name, forge.tagOf(ref), { isDeleted, url: isDeleted ? null : url }),
      }
    }
    const branch = forge.branchOf(ref)
    // Branches of the merge queue exist for minutes.
    if (branch.startsWith('gh-readonly-queue/') || !request.wantsBranch(branch)) return null
    const commits = payload.commits.map(({ id, message, url, author }) => ({
      ...{ sha: id, message, url },
      author: author?.username ?? author?.name,
    }))
    const content = forge.push({
      ...{ user: name, branch, compareUrl: compare, commits },
      isForced: payload.forced === true,
      isDeleted: payload.deleted === true || forge.isNoCommit(payload.after),
      isNew: payload.created === true,
    })
    return { topic: forge.branchTopic(repository.name, branch), content }
  },
)

const milestone = z.object({ title: z.string(), html_url: text })
const label = z.object({ name: z.string() })

const issue = z.object({
  number: z.number(),
  title: z.string(),
  html_url: text,
  body: text,
  assignee: account.nullish(),
  assignees: z.array(account).nullish(),
  pull_request: z.object({}).nullish(),
})

const moved = z.object({ html_url: text, number: z.number() })

const issues = inRepository(
  {
    issue,
    assignee: account.nullish(),
    label: label.nullish(),
    milestone: milestone.nullish(),
    changes: z
      .object({
        new_issue: moved.nullish(),
        new_repository: repository.nullish(),
        old_issue: moved.nullish(),
        old_repository: repository.nullish(),
        title: z.object({ from: z.string() }).nullish(),
      })
      .nullish(),
  },
  ({ action, issue, sender, repository, assignee, label, milestone, changes }) => {
    const { number, html_url: url, title } = issue
    const topic = forge.issueTopic(repository.name, number, title)
    const common = { user: user(sender), kind: 'issue', number, url }
    const at = (words: MarkdownValue) => ({ topic, content: md`${user(sender)} ${words}.` })
    const it = link(`issue #${number}`, url)
    switch (action) {
      case 'opened': {
        const { old_issue: old, old_repository: from } = changes ?? {}
        if (old)
          return at(
            md`transferred ${it} here from ${link(`${from?.full_name ?? 'another repository'}#${old.number}`, old.html_url)}`,
          )
        const assignees = (issue.assignees ?? []).map(user)
        return { topic, content: forge.subject({ ...common, action, assignees, body: issue.body }) }
      }
      case 'transferred': {
        const { new_issue: next, new_repository: to } = changes ?? {}
        return at(
          md`transferred ${it} to ${link(`${to?.full_name ?? 'another repository'}#${next?.number ?? '?'}`, next?.html_url)}`,
        )
      }
      case 'edited':
        return { topic, content: forge.subject({ ...common, action, body: issue.body }) }
      case 'assigned':
        return at(md`assigned ${it} to ${assignee ? user(assignee) : 'someone'}`)
      case 'unassigned':
        return at(md`unassigned ${assignee ? user(assignee) : 'someone'} from ${it}`)
      case 'labeled':
        return at(md`added the label ${label?.name} to ${it}`)
      case 'unlabeled':
        return at(md`removed the label ${label?.name} from ${it}`)
      case 'milestoned':
        return at(md`added ${it} to the milestone ${link(milestone?.title, milestone?.html_url)}`)
      case 'demilestoned':
        return at(md`removed ${it} from the milestone ${link(milestone?.title, milestone?.html_url)}`)
      case 'typed':
      case 'untyped':
        return at(md`changed the type of ${it}`)
      default:
        return { topic, content: forge.subject({ ...common, action: action.replaceAll('_', ' ') }) }
    }
  },
)

const comment = z.object({ html_url: text, body: text, user: account.nullish(), commit_id: text })
const bodyChange = z.object({ body: z.object({ from: text }).nullish() }).nullish()

/** Returns whether an edit left the text as it was. GitHub sends one after every review, for example. */
const isUnchanged = (action: string, changes: z.output<typeof bodyChange>, body: string | null | undefined) =>
  action === 'edited' && changes != null && (changes.body == null || changes.body.from === body)

const issueComment = inRepository(
  { issue, comment, changes: bodyChange },
  ({ action, issue, comment, sender, repository, changes }) => {
    if (isUnchanged(action, changes, comment.body)) return null
    const { number, title } = issue
    const isPull = issue.pull_request != null
    const kind = isPull ? 'PR' : 'issue'
    const topic = isPull
      ? forge.pullTopic(repository.name, number, title)
      : forge.issueTopic(repository.name, number, title)
    const content = forge.comment({
      ...{ user: user(sender), action: action === 'created' ? 'commented' : action, commentUrl: comment.html_url },
      ...{ kind, number, url: issue.html_url, body: comment.body },
    })
    return { topic, content }
  },
)

const commitComment = inRepository({ comment }, ({ sender, comment, repository }) => ({
  topic: repository.name,
  content: forge.comment({
    ...{ user: user(sender), action: 'commented', commentUrl: comment.html_url, body: comment.body },
    kind: forge.shortSha(comment.commit_id ?? 'a commit'),
    url: comment.html_url?.split('#', 1)[0],
  }),
}))

const branch = z.object({ ref: text, label: text })

const pull = z.object({
  number: z.number(),
  title: z.string(),
  html_url: text,
  body: text,
  merged: z.boolean().nullish(),
  draft: z.boolean().nullish(),
  assignee: account.nullish(),
  assignees: z.array(account).nullish(),
  head: branch.nullish(),
  base: branch.nullish(),
})

const pullTopic = ({ name }: { name: string }, { number, title }: { number: number; title: string }) =>
  forge.pullTopic(name, number, title)

/** Actions that change only the form of a pull request, or of which its other events tell. */
const IGNORED_PULL_ACTIONS = new Set([
  'approved',
  'converted_to_draft',
  'labeled',
  'unlabeled',
  'review_request_removed',
  'milestoned',
  'demilestoned',
])

/** Returns the handler without these actions, which are ignored whatever else the payload has. */
const without =
  (actions: ReadonlySet<string>, handle: ReturnType<typeof on>): ReturnType<typeof on> =>
  (payload, request) =>
    actions.has(base.safeParse(payload).data?.action ?? '') ? null : handle(payload, request)

const pullRequest = inRepository(
  {
    pull_request: pull,
    assignee: account.nullish(),
    requested_reviewer: account.nullish(),
    requested_team: team.nullish(),
    before: text,
    after: text,
    reason: text,
    changes: bodyChange,
  },
  ({ action, pull_request: pull, sender, repository, assignee, ...given }) => {
    const { number, html_url: url } = pull
    const topic = pullTopic(repository, pull)
    const it = link(`PR #${number}`, url)
    const common = { user: user(sender), kind: 'PR', number, url }
    switch (action) {
      case 'opened':
        return {
          topic,
          content: forge.subject({
            ...{ ...common, action, source: pull.head?.label, target: pull.base?.label, body: pull.body },
            assignees: (pull.assignees ?? (pull.assignee ? [pull.assignee] : [])).map(user),
          }),
        }
      case 'closed':
        return { topic, content: forge.subject({ ...common, action: pull.merged ? 'merged' : 'closed without merge' }) }
      case 'edited':
        return { topic, content: forge.subject({ ...common, action, body: given.changes?.body && pull.body }) }
      case 'synchronize':
        return { topic, content: forge.subject({ ...common, action: 'updated' }) }
      case 'assigned':
        return { topic, content: md`${user(sender)} assigned ${assignee ? user(assignee) : 'someone'} to ${it}.` }
      case 'unassigned':
        return { topic, content: md`${user(sender)} unassigned ${assignee ? user(assignee) : 'someone'} from ${it}.` }
      case 'ready_for_review':
        return { topic, content: md`${bold(sender.login)} marked ${it} as ready for review.` }
      case 'review_requested': {
        const { requested_reviewer: reviewer, requested_team: team } = given
        const asked = team ? link(team.name, team.html_url) : reviewer ? user(reviewer) : 'someone'
        return { topic, content: md`${bold(sender.login)} requested a review from ${asked} on ${it}.` }
      }
      case 'auto_merge_enabled':
        return { topic, content: md`${user(sender)} turned on automatic merging of ${it}.` }
      case 'auto_merge_disabled':
        return {
          topic,
          content: md`${user(sender)} turned off automatic merging of ${it}${given.reason && md` (${given.reason})`}.`,
        }
      case 'enqueued':
        return { topic, content: md`${user(sender)} added ${it} to the merge queue.` }
      case 'dequeued':
        return { topic, content: md`${user(sender)} removed ${it} from the merge queue.` }
      case 'locked':
      case 'unlocked':
      case 'reopened':
        return { topic, content: forge.subject({ ...common, action }) }
      default:
        return unknownEvent(`pull_request:${action}`)
    }
  },
)

const review = inRepository(
  {
    pull_request: pull,
    review: z.object({ html_url: text, body: text, state: text, user: account.nullish() }),
    changes: bodyChange,
  },
  ({ action, review, pull_request: pull, sender, repository, changes }) => {
    if (isUnchanged(action, changes, review.body)) return null
    const it = link(`PR #${pull.number}`, pull.html_url)
    const name = link('review', review.html_url)
    const words: Record<string, MarkdownValue> = {
      approved: md`submitted an approving ${name} of`,
      changes_requested: md`requested changes in a ${name} of`,
      commented: md`submitted a ${name} of`,
    }
    const verb = action === 'submitted' ? (words[review.state ?? ''] ?? words['commented']) : md`${action} a ${name} of`
    return {
      topic: pullTopic(repository, pull),
      content: paragraphs(md`${user(sender)} ${verb} ${it}${review.body ? ':' : '.'}`, quoteMarkdown(review.body)),
    }
  },
)

const reviewComment = inRepository(
  { pull_request: pull, comment, changes: bodyChange },
  ({ action, comment, pull_request: pull, sender, repository, changes }) => {
    if (isUnchanged(action, changes, comment.body)) return null
    const it = link(`PR #${pull.number}`, pull.html_url)
    const verb = action === 'created' ? 'created' : action
    return {
      topic: pullTopic(repository, pull),
      content: paragraphs(
        md`${user(sender)} ${verb} a ${link('review comment', comment.html_url)} on ${it}${comment.body ? ':' : '.'}`,
        quoteMarkdown(comment.body),
      ),
    }
  },
)

const deployment = z.object({ environment: text, description: text, ref: text })
const deploymentTopic = (repository: { name: string }, { environment }: z.output<typeof deployment>) =>
  `${repository.name} / Deployment on ${environment ?? 'unknown'}`

const discussion = z.object({
  number: z.number(),
  title: z.string(),
  html_url: text,
  body: text,
  category: z.object({ name: text }).nullish(),
  answer_html_url: text,
})
const discussionTopic = (repository: { name: string }, { number, title }: z.output<typeof discussion>) =>
  `${repository.name} discussion #${number}: ${title}`

const named = z.object({ name: text })

const sponsorship = on(
  z.object({
    action: text,
    sponsorship: z.object({ sponsor: account, tier: named.nullish() }),
    changes: z.object({ tier: z.object({ from: named }).nullish() }).nullish(),
    effective_date: text,
  }),
  ({ action, sponsorship: { sponsor, tier }, changes, effective_date: date }) => {
    const from = changes?.tier?.from.name
    const now = tier?.name ?? 'an unknown tier'
    const words: Record<string, MarkdownValue> = {
      created: md`subscribed to the tier ${now}`,
      cancelled: 'canceled their subscription',
      edited: 'changed who can see their subscription',
      pending_cancellation: md`will end their subscription on ${date?.slice(0, 10) ?? 'an unknown date'}`,
      tier_changed: md`changed their tier from ${from ?? 'another one'} to ${now}`,
      pending_tier_change: md`will change their tier from ${now} to ${from ?? 'another one'} on ${date?.slice(0, 10) ?? 'an unknown date'}`,
    }
    const verb = words[action ?? ''] ?? unknownEvent(`sponsorship:${action}`)
    return { topic: 'sponsors', content: md`${sponsor.login} ${verb}.` }
  },
)

const watch = (verb: string) =>
  inRepository({}, ({ sender, repository }) => ({
    topic: repository.name,
    content: md`${user(sender)} ${verb} ${link(repository.full_name ?? repository.name, repository.html_url)}.`,
  }))

const created = (verb: string) =>
  inRepository({ ref: z.string(), ref_type: z.string() }, ({ sender, repository, ref, ref_type: type }) => ({
    topic: repository.name,
    content: md`${sender.login} ${verb} the ${type} ${ref}.`,
  }))

const severity = z.object({ severity: text, summary: text, description: text, security_severity_level: text })

/** Alerts about dependencies, code and secrets. */
const alert = inRepository(
  {
    alert: z.object({
      number: z.number(),
      html_url: text,
      security_advisory: severity.nullish(),
      rule: severity.nullish(),
      secret_type_display_name: text,
      secret_type: text,
    }),
  },
  ({ action, alert, sender, repository }) => {
    const { number, html_url: url, security_advisory: advisory, rule } = alert
    const title =
      advisory?.summary ?? rule?.description ?? alert.secret_type_display_name ?? alert.secret_type ?? 'without a title'
    const level = advisory?.severity ?? rule?.security_severity_level ?? rule?.severity
    return {
      topic: `${repository.name} / security`,
      content: md`${link(`Alert #${number}`, url)} was ${action.replaceAll('_', ' ')} by ${user(sender)}: ${title}${level && md` (severity: ${level})`}`,
    }
  },
)

const packageShape = z.object({
  name: z.string(),
  html_url: text,
  package_version: z.object({ version: text, html_url: text }).nullish(),
})

const packageMessage = ({
  action,
  given,
  sender,
  repository,
}: Pick<Common, 'action' | 'sender' | 'repository'> & { given: z.output<typeof packageShape> }) => {
  const { name, html_url: url, package_version: version } = given
  const title = version?.version ? `${name} ${version.version}` : name
  return {
    topic: repository.name,
    content: md`${user(sender)} ${action} the package ${link(title, version?.html_url || url)}.`,
  }
}

const packageChange = inRepository({ package: packageShape }, ({ package: given, ...rest }) =>
  packageMessage({ ...rest, given }),
)

const rule = (noun: string, field: string) =>
  inRepository({ [field]: named }, ({ action, sender, repository, ...given }) => ({
    topic: repository.name,
    content: md`${user(sender)} ${action} the ${noun} ${bold(named.safeParse((given as Record<string, unknown>)[field]).data?.name)}.`,
  }))

/** Actions on teams that say nothing about repositories or people. */
const IGNORED_TEAM_ACTIONS = new Set(['added_to_repository', 'created', 'deleted', 'removed_from_repository'])

export const github = integration({
  name: 'github',
  title: 'GitHub',
  category: 'Version control',
  knowsPrivate: true,
  summary: 'Pushes, pull requests, issues, releases',
  logo: { letter: 'G', color: '#24292f' },
  steps: [
    'In your repository or organization on GitHub, open **Settings**, then **Webhooks**, and click **Add webhook**.',
    'Paste the URL into **Payload URL**, and choose **application/json** as the content type.',
    'If you want deliveries to be verified, choose a secret, and enter the same as **Secret** under **More options** of the integration.',
    'Choose the events to send, and click **Add webhook**.',
  ],
  sample: {
    headers: { 'X-GitHub-Event': 'pull_request' },
    payload: {
      action: 'opened',
      number: 42,
      pull_request: {
        ...{ number: 42, title: 'Draw maps without gaps', body: 'Closes #40.', state: 'open', merged: false },
        ...{ html_url: 'https://github.com/example/atlas/pull/42', user: { login: 'ada' } },
        ...{ head: { label: 'example:gaps' }, base: { label: 'example:main' } },
      },
      repository: { name: 'atlas', full_name: 'example/atlas', html_url: 'https://github.com/example/atlas' },
      sender: { login: 'ada', html_url: 'https://github.com/ada' },
    },
  },
  verify: hmacSignature({ header: 'X-Hub-Signature-256', prefix: 'sha256=' }),
  eventHeader: 'X-GitHub-Event',
  events: {
    push,
    issues,
    issue_comment: issueComment,
    commit_comment: commitComment,
    pull_request: without(IGNORED_PULL_ACTIONS, pullRequest),
    pull_request_review: review,
    pull_request_review_comment: reviewComment,
    pull_request_review_thread: inRepository(
      { pull_request: pull },
      ({ action, pull_request: pull, sender, repository }) => ({
        topic: pullTopic(repository, pull),
        content: md`${user(sender)} marked a conversation on ${link(`PR #${pull.number}`, pull.html_url)} as ${action}.`,
      }),
    ),
    create: created('created'),
    delete: created('deleted'),
    check_run: inRepository(
      {
        check_run: z.object({
          name: z.string(),
          html_url: text,
          status: text,
          conclusion: text,
          head_sha: z.string(),
        }),
      },
      ({ action, check_run: run, repository }) => {
        if (action !== 'completed' && run.status !== 'completed') return null
        const commit = {
          sha: run.head_sha,
          url: repository.html_url ? `${repository.html_url}/commit/${run.head_sha}` : null,
        }
        return {
          topic: `${repository.name} / checks`,
          content: md`The check ${link(run.name, run.html_url)} completed (${run.conclusion ?? 'no result'}) for ${forge.commitLink(commit)}.`,
        }
      },
    ),
    check_suite: ignore,
    deployment: inRepository({ deployment }, ({ deployment, sender, repository }) => ({
      topic: deploymentTopic(repository, deployment),
      content: md`${sender.login} created a new deployment.`,
    })),
    deployment_status: inRepository(
      { deployment, deployment_status: z.object({ state: z.string(), target_url: text }) },
      ({ deployment, deployment_status: status, repository }) => ({
        topic: deploymentTopic(repository, deployment),
        content: md`The deployment changed its status to ${link(status.state, status.target_url)}.`,
      }),
    ),
    discussion: inRepository({ discussion }, ({ action, discussion, sender, repository }) => {
      const it = link(`discussion #${discussion.number}`, discussion.html_url)
      const topic = discussionTopic(repository, discussion)
      if (action !== 'created') return { topic, content: md`${user(sender)} ${action.replaceAll('_', ' ')} ${it}.` }
      const category = discussion.category?.name
      return {
        topic,
        content: paragraphs(
          md`${user(sender)} started ${it}${category && md` in ${category}`}${discussion.body ? ':' : '.'}`,
          quoteMarkdown(discussion.body),
        ),
      }
    }),
    discussion_comment: inRepository(
      { discussion, comment },
      ({ action, discussion, comment, sender, repository }) => ({
        topic: discussionTopic(repository, discussion),
        content: forge.comment({
          ...{ user: user(sender), action: action === 'created' ? 'commented' : action, commentUrl: comment.html_url },
          ...{ kind: 'discussion', number: discussion.number, url: discussion.html_url, body: comment.body },
        }),
      }),
    ),
    fork: inRepository({ forkee: repository }, ({ forkee, sender, repository }) => ({
      topic: repository.name,
      content: md`${user(sender)} forked ${link(forkee.full_name ?? forkee.name, forkee.html_url)}.`,
    })),
    gollum: inRepository(
      { pages: z.array(z.object({ title: z.string(), action: z.string(), html_url: text })) },
      ({ pages, sender, repository }) => ({
        topic: `${repository.name} / wiki pages`,
        content: paragraphs(
          md`${user(sender)} changed the wiki:`,
          bullets(pages.map((page) => md`${page.action} ${link(page.title, page.html_url)}`)),
        ),
      }),
    ),
    label: ignore,
    meta: ignore,
    milestone: ignore,
    organization: ignore,
    project_card: ignore,
    repository_vulnerability_alert: ignore,
    member: inRepository({ member: account }, ({ action, member, repository, sender }) => ({
      topic: repository.name,
      content: md`${user(sender)} ${action} ${user(member)} ${action === 'removed' ? 'from' : 'to'} ${link(repository.name, repository.html_url)}.`,
    })),
    membership: on(
      base.extend({ action: z.string(), scope: text, member: account, team, organization: account, sender: account }),
      ({ action, member, team, organization, sender }) => ({
        topic: `${organization.login} organization`,
        content: md`${sender.login} ${action} ${user(member)} ${action === 'removed' ? 'from' : 'to'} the team ${link(team.name, team.html_url)}.`,
      }),
    ),
    page_build: inRepository(
      { build: z.object({ status: text, pusher: account.nullish(), error: z.object({ message: text }).nullish() }) },
      ({ build, repository, sender }) => {
        const error = build.error?.message
        const words: Record<string, string> = {
          null: 'has not built a page yet',
          building: 'is building a page',
          errored: 'could not build the page',
          built: 'built the page',
        }
        const status = words[build.status ?? 'null'] ?? `reports ${build.status}`
        return {
          topic: repository.name,
          content: paragraphs(
            md`GitHub Pages, started by ${build.pusher?.login ?? sender.login}, ${status}${error ? ':' : '.'}`,
            quote(error),
          ),
        }
      },
    ),
    ping: on(
      base.extend({ hook: z.object({ type: text }).nullish() }),
      ({ repository, organization, sender, hook }) => ({
        topic:
          hook?.type === 'SponsorsListing'
            ? 'sponsors'
            : (repository?.name ?? organization?.login ?? sender?.login ?? badPayload()),
        content: md`GitHub webhook is set up${sender && md` by ${sender.login}`}. Events will appear here.`,
      }),
    ),
    public: inRepository({}, ({ sender, repository }) => ({
      topic: repository.name,
      content: md`${sender.login} made the repository ${link(repository.full_name ?? repository.name, repository.html_url)} public.`,
    })),
    release: inRepository(
      { release: z.object({ name: text, tag_name: z.string(), html_url: text, body: text }) },
      ({ action, release, sender, repository }) => ({
        topic: repository.name,
        content: md`${user(sender)} ${action} the release ${link(release.name || release.tag_name, release.html_url)} for the tag ${release.tag_name}.`,
      }),
    ),
    repository: inRepository({}, ({ action, sender, repository }) => ({
      topic: repository.name,
      content: md`${sender.login} ${action} the repository ${link(repository.full_name ?? repository.name, repository.html_url)}.`,
    })),
    star: inRepository({}, ({ action, sender, repository }) => ({
      topic: repository.name,
      content: md`${user(sender)} ${action === 'deleted' ? 'unstarred' : 'starred'} ${link(repository.full_name ?? repository.name, repository.html_url)}.`,
    })),
    watch: watch('starred'),
    status: inRepository(
      {
        sha: text,
        state: z.string(),
        context: text,
        description: text,
        target_url: text,
        commit: z.object({ sha: z.string(), html_url: text }),
      },
      ({ state, context, target_url: target, commit, repository }) => ({
        topic: repository.name,
        content: md`${forge.commitLink({ sha: commit.sha, url: commit.html_url })} changed its status to ${link(state, target)}${context && md` (${context})`}.`,
      }),
    ),
    team: without(
      IGNORED_TEAM_ACTIONS,
      on(
        base.extend({
          action: z.string(),
          team,
          sender: account.nullish(),
          changes: z
            .looseObject({
              name: z.object({ from: text }).nullish(),
              description: z.object({ from: text }).nullish(),
              privacy: z.object({ from: text }).nullish(),
            })
            .nullish(),
        }),
        ({ action, team, sender, changes }) => {
          if (action !== 'edited') return unknownEvent(`team:${action}`)
          const topic = `team ${team.name}`
          if (changes?.description) {
            return {
              topic,
              content: paragraphs(
                md`${bold(sender?.login ?? 'Someone')} changed the description of the team:`,
                quote(team.description),
              ),
            }
          }
          if (changes?.name)
            return { topic, content: md`The team ${code(changes.name.from)} was renamed to ${code(team.name)}.` }
          if (changes?.privacy)
            return { topic, content: md`The visibility of the team changed to ${code(team.privacy)}.` }
          return {
            topic,
            content: md`The team changed: ${code(
              Object.keys(changes ?? {})
                .toSorted()
                .join('/'),
            )}.`,
          }
        },
      ),
    ),
    team_add: inRepository({ team }, ({ team, repository }) => ({
      topic: repository.name,
      content: md`The repository ${link(repository.name, repository.html_url)} was added to the team ${team.name}.`,
    })),
    dependabot_alert: alert,
    code_scanning_alert: alert,
    secret_scanning_alert: alert,
    repository_advisory: inRepository(
      { repository_advisory: z.object({ summary: text, html_url: text, severity: text }) },
      ({ action, repository_advisory: advisory, repository }) => ({
        topic: `${repository.name} / security`,
        content: md`The advisory ${link(advisory.summary || 'without a title', advisory.html_url)}${advisory.severity && md` (severity: ${advisory.severity})`} was ${action}.`,
      }),
    ),
    workflow_run: inRepository(
      {
        workflow_run: z.object({
          ...{ name: text, html_url: text, conclusion: text, head_branch: text, head_sha: text },
          run_number: z.number().nullish(),
        }),
      },
      ({ action, workflow_run: run, repository }) => {
        if (action !== 'completed') return null
        const sha = run.head_sha
        const commit =
          sha &&
          md` for ${forge.commitLink({ sha, url: repository.html_url && `${repository.html_url}/commit/${sha}` })}`
        return {
          topic: `${repository.name} / checks`,
          content: md`The workflow ${link(run.name || 'without a name', run.html_url)} completed (${run.conclusion ?? 'no result'})${commit}${run.head_branch && md` on ${run.head_branch}`}.`,
        }
      },
    ),
    workflow_job: ignore,
    merge_group: ignore,
    deployment_review: inRepository(
      {
        environment: text,
        approver: account.nullish(),
        comment: text,
        workflow_run: z.object({ name: text, html_url: text }).nullish(),
      },
      ({ action, environment, approver, comment, workflow_run: run, repository, sender }) => ({
        topic: deploymentTopic(repository, { environment, description: null, ref: null }),
        content: paragraphs(
          md`${user(approver ?? sender)} ${action} the deployment${run && md` of ${link(run.name || 'a workflow', run.html_url)}`}${comment ? ':' : '.'}`,
          quote(comment),
        ),
      }),
    ),
    package: packageChange,
    registry_package: inRepository({ registry_package: packageShape }, ({ registry_package: given, ...rest }) =>
      packageMessage({ ...rest, given }),
    ),
    branch_protection_rule: rule('branch protection rule', 'rule'),
    repository_ruleset: rule('ruleset', 'repository_ruleset'),
    sponsorship,
    // Old deliveries name the action instead of the event.
    created: sponsorship,
    cancelled: sponsorship,
    edited: sponsorship,
    tier_changed: sponsorship,
    pending_cancellation: sponsorship,
    pending_tier_change: sponsorship,
  },
})
