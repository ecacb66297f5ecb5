import { z } from 'zod'
import { ignore, integration, on } from '../integration.ts'
import { bold, bullets, code, count, lines, md, paragraphs } from '../markdown.ts'

const text = z.string().nullish()

const report = z.object({
  severity: text,
  scan_status: text,
  summary: z
    .object({
      total: z.number().nullish(),
      fixable: z.number().nullish(),
      summary: z.record(z.string(), z.number()).nullish(),
    })
    .nullish(),
})

const payload = z.object({
  operator: text,
  event_data: z.object({
    repository: z.object({ repo_full_name: z.string() }),
    resources: z
      .array(z.object({ tag: text, resource_url: text, scan_overview: z.record(z.string(), z.unknown()).nullish() }))
      .nullish(),
  }),
})
type Payload = z.output<typeof payload>

const topicOf = ({ event_data: { repository } }: Payload) => repository.repo_full_name

function imageOf(given: Payload) {
  const tag = given.event_data.resources?.[0]?.tag
  return tag ? md`image ${code(`${topicOf(given)}:${tag}`)}` : md`image ${topicOf(given)}`
}

const act = (words: string) =>
  on(payload, (given) => ({
    topic: topicOf(given),
    content: md`${bold(given.operator || 'Someone')} ${words} the ${imageOf(given)}.`,
  }))

const scanned = on(payload, (given) => {
  const overview = Object.values(given.event_data.resources?.[0]?.scan_overview ?? {})
  const { summary, severity } = report.safeParse(overview[0]).data ?? {}
  const total = summary?.total ?? 0
  const kinds = Object.entries(summary?.summary ?? {})
  return {
    topic: topicOf(given),
    content: paragraphs(
      lines(
        md`The scan of the ${imageOf(given)} found ${total === 0 ? 'no vulnerabilities' : count(total, 'vulnerability', 'vulnerabilities')}${summary?.fixable ? md`, of which ${summary.fixable} can be fixed` : null}${total > 0 && severity ? md`; the highest severity is ${severity}` : null}.`,
      ),
      bullets(kinds.map(([kind, number]) => md`${kind}: ${number}`)),
    ),
  }
})

export const harbor = integration({
  name: 'harbor',
  title: 'Harbor',
  category: 'Deployment',
  logo: { letter: 'H', color: '#4596d8' },
  steps: ['In Harbor, open **Webhooks** of the project, choose **HTTP** as the kind, and paste the URL.'],
  eventOf: (given) => z.object({ type: z.string() }).safeParse(given).data?.type ?? '',
  events: {
    PUSH_ARTIFACT: act('pushed'),
    pushImage: act('pushed'),
    PULL_ARTIFACT: ignore,
    DELETE_ARTIFACT: ignore,
    SCANNING_COMPLETED: scanned,
    scanningCompleted: scanned,
    SCANNING_FAILED: on(payload, (given) => ({
      topic: topicOf(given),
      content: md`The scan of the ${imageOf(given)} failed.`,
    })),
    SCANNING_STOPPED: on(payload, (given) => ({
      topic: topicOf(given),
      content: md`The scan of the ${imageOf(given)} was stopped.`,
    })),
    REPLICATION: ignore,
    TAG_RETENTION: ignore,
    QUOTA_EXCEED: on(payload, (given) => ({
      topic: topicOf(given),
      content: md`The project has no space left for the ${imageOf(given)}.`,
    })),
    QUOTA_WARNING: on(payload, (given) => ({
      topic: topicOf(given),
      content: md`The project has little space left for the ${imageOf(given)}.`,
    })),
  },
})
