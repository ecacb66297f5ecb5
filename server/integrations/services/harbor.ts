import { z } from 'zod'
import { ignore, integration, on, parse } from '../integration.ts'
import { bold, bullets, code, count, type MarkdownValue, md, paragraphs } from '../markdown.ts'
import { tokenHeader } from '../signatures.ts'

const text = z.string().nullish()
const number = z.number().nullish()

const report = z.object({
  scan_status: text,
  severity: text,
  summary: z.object({ total: number, fixable: number, summary: z.record(z.string(), z.unknown()).nullish() }).nullish(),
})

const delivery = z.object({
  type: z.string(),
  operator: text,
  event_data: z.object({
    resources: z
      .array(
        z.object({
          tag: text,
          digest: text,
          resource_url: text,
          scan_overview: z.record(z.string(), z.unknown()).nullish(),
        }),
      )
      .nullish(),
    repository: z.object({ repo_full_name: text, name: text }).nullish(),
    custom_attributes: z.object({ Details: text }).nullish(),
    replication: z.object({ job_status: text, policy_creator: text }).nullish(),
  }),
})
type HarborDelivery = z.output<typeof delivery>

const topicOf = ({ event_data: data }: HarborDelivery) =>
  data.repository?.repo_full_name ?? data.repository?.name ?? 'Harbor'

/** Returns the image: its name with its tag, or its address if it has none. */
function imageOf(payload: HarborDelivery): MarkdownValue {
  const resource = payload.event_data.resources?.[0]
  return resource?.tag ? code(`${topicOf(payload)}:${resource.tag}`) : (resource?.resource_url ?? topicOf(payload))
}

const about = (contentOf: (payload: HarborDelivery) => MarkdownValue) =>
  on(delivery, (payload) => ({ topic: topicOf(payload), content: md`${contentOf(payload)}` }))

const scanned = about((payload) => {
  const overview = Object.values(payload.event_data.resources?.[0]?.scan_overview ?? {})[0]
  const { summary, severity } = report.safeParse(overview).data ?? {}
  const counts = Object.entries(summary?.summary ?? {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  )
  const total = summary?.total ?? 0
  if (total === 0 && counts.length === 0) return md`The scan of ${imageOf(payload)} found no vulnerabilities.`
  const fixable = summary?.fixable ? md`, of which ${summary.fixable} can be fixed` : null
  return paragraphs(
    md`The scan of ${imageOf(payload)} found ${count(total, 'vulnerability', 'vulnerabilities')}${fixable}${severity && md` (severity: ${severity})`}:`,
    bullets(counts.map(([name, number]) => md`${name}: ${bold(number)}`)),
  )
})

const details = (words: string) =>
  about((payload) => {
    const more = payload.event_data.custom_attributes?.Details
    return md`${words}${more && md`: ${more}`}.`
  })

export const harbor = integration({
  name: 'harbor',
  title: 'Harbor',
  category: 'Deployment',
  summary: 'Artifacts and scans of images',
  logo: { letter: 'H', color: '#60b932' },
  steps: [
    'In Harbor, open your project, then **Webhooks**, and click **New webhook**.',
    'Choose the events, and paste the URL into **Endpoint URL**. If you want deliveries to be verified, enter a text as **Auth Header**, and enter the same as **Secret** under **More options** of the integration.',
    'Click **Continue** or **Add**.',
  ],
  sample: {
    payload: {
      type: 'PUSH_ARTIFACT',
      operator: 'ada',
      event_data: {
        resources: [
          { tag: '1.4.0', digest: 'sha256:3f2a91c04d7b', resource_url: 'harbor.example.com/maps/atlas:1.4.0' },
        ],
        repository: { name: 'atlas', namespace: 'maps', repo_full_name: 'maps/atlas' },
      },
    },
  },
  verify: tokenHeader('Authorization'),
  eventOf: (payload) => parse(z.object({ type: z.string() }), payload).type,
  events: {
    PUSH_ARTIFACT: about((payload) => md`${bold(payload.operator || 'Someone')} pushed ${imageOf(payload)}.`),
    pushImage: about((payload) => md`${bold(payload.operator || 'Someone')} pushed ${imageOf(payload)}.`),
    SCANNING_COMPLETED: scanned,
    scanningCompleted: scanned,
    SCANNING_FAILED: ignore,
    SCANNING_STOPPED: ignore,
    DELETE_ARTIFACT: ignore,
    PULL_ARTIFACT: ignore,
    UPLOAD_CHART: ignore,
    DELETE_CHART: ignore,
    DOWNLOAD_CHART: ignore,
    QUOTA_EXCEED: details('The project exceeds its quota'),
    QUOTA_WARNING: details('The project has almost reached its quota'),
    REPLICATION: about(
      ({ event_data: data }) =>
        md`A replication ended${data.replication?.job_status && md` (${data.replication.job_status})`}.`,
    ),
    TAG_RETENTION: about(() => md`Tags were removed according to the rules of the project.`),
  },
})
