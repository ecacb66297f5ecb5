import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import { html } from '#lib/html.ts'
import type { Job } from '#lib/jobs.ts'
import { t } from '#lib/text.ts'
import type { FileStore } from '#storage/files.ts'
import type { Storage } from '#storage/storage.ts'
import { findWaitingMails } from './metrics/waiting.ts'
import { answers, canReadFiles } from './nodes/probes.ts'

// The public status page: whether people can read, write, get emails and open files now, and since when not. It contains
// neither versions nor numbers. The server checks at intervals, not for each visitor, so that the page costs nothing and needs no
// database.

const STATUS_PATH = '/status'

type Service = 'reading' | 'sending' | 'files' | 'email'

/** The time since which a service has not worked, in UNIX seconds; null if it works, undefined if it is not set up. */
type Troubles = Readonly<Record<Service, number | null | undefined>>

export type StatusParts = {
  storage: Pick<Storage, 'db' | 'isReady' | 'isWritable'>
  files: Pick<FileStore, 'findSize' | 'failingSince'>
  mail: Pick<Job, 'history'>
  settings: { SMTP_URL: string }
  clock: { now(): number }
}

export type Status = {
  /** Answers GET and HEAD of `/status`; returns null for all others. */
  page(request: Pick<HttpRequest, 'method' | 'path'>): Promise<HttpResponse> | null
  /** Looks at all services. */
  check(): Promise<void>
  /** Looks at all services now, and then every half a minute. */
  start(): void
  stop(): void
}

/** Milliseconds between two looks. */
const INTERVAL = 30_000

/** Seconds after which an email that is due counts as stuck. */
const EMAIL_PATIENCE = 900

/** Opens the status of a server. Nothing is known before the first look; then everything counts as working. */
export function openStatus({ storage, files, mail, settings, clock }: StatusParts): Status {
  let troubles: Troubles = { reading: null, sending: null, files: null, email: null }
  let checkedAt: number | null = null
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let rendered: { of: unknown; response: HttpResponse } | null = null

  async function isEmailStuck(): Promise<boolean> {
    if (mail.history().failingSince !== null) return true
    const now = clock.now()
    const { oldestAt } = await findWaitingMails(storage.db, now)
    return now - (oldestAt ?? now) > EMAIL_PATIENCE
  }

  const sinceWhen = (service: Service, works: boolean) => (works ? null : (troubles[service] ?? clock.now()))

  async function lookAtEmail(canRead: boolean): Promise<number | null | undefined> {
    if (settings.SMTP_URL === '') return undefined
    // Without the database, nothing new is known about emails.
    if (!canRead) return troubles.email
    return sinceWhen('email', await answers(async () => !(await isEmailStuck())))
  }

  async function look(): Promise<void> {
    const [canRead, isReady, hasFiles] = await Promise.all([
      answers(async () => {
        await storage.db.selectFrom('installation').select('name').limit(1).execute()
        return true
      }),
      answers(() => storage.isReady()),
      canReadFiles(files),
    ])
    troubles = {
      reading: sinceWhen('reading', canRead),
      sending: sinceWhen('sending', isReady && storage.isWritable()),
      files: sinceWhen('files', hasFiles),
      email: await lookAtEmail(canRead),
    }
    checkedAt = clock.now()
  }

  function check(): Promise<void> {
    running ??= look().finally(() => {
      running = null
    })
    return running
  }

  async function answer(): Promise<HttpResponse> {
    if (checkedAt === null) await check()
    if (rendered?.of !== troubles) rendered = { of: troubles, response: await renderStatus(troubles) }
    return rendered.response
  }

  return {
    page: ({ method, path }) => (path === STATUS_PATH && (method === 'GET' || method === 'HEAD') ? answer() : null),
    check,
    start() {
      const repeat = () => {
        void check().finally(() => {
          if (!isStopped) timer = setTimeout(repeat, INTERVAL).unref()
        })
      }
      repeat()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

const LABELS: Readonly<Record<Service, { name: string; trouble: string }>> = {
  reading: { name: t('Reading messages'), trouble: t('Messages cannot be loaded.') },
  sending: {
    name: t('Sending messages'),
    trouble: t('Messages cannot be sent. What you write is kept in your browser.'),
  },
  files: { name: t('Uploaded files'), trouble: t('Files cannot be opened or uploaded.') },
  email: { name: t('Email'), trouble: t('Emails, such as invitations and links to reset a password, arrive late.') },
}

async function renderStatus(troubles: Troubles): Promise<HttpResponse> {
  // Its files are loaded with the first page.
  const { moment, renderPage } = await import('#http/page-html.ts')
  const rows = Object.entries(LABELS).flatMap(([service, label]) => {
    const since = troubles[service as Service]
    return since === undefined ? [] : [{ ...label, since }]
  })
  const isGood = rows.every(({ since }) => since === null)
  return renderPage({
    heading: isGood ? t('Everything works') : t('Some things do not work'),
    content: html`${rows.map(
      ({ name, trouble, since }) => html`<h2>${name}</h2>
${since === null ? html`<p>${t('Works')}</p>` : html`<p><strong>${t('Does not work')}</strong> · ${moment(since)}</p>\n<p>${trouble}</p>`}
`,
    )}<p class="hint">${
      isGood
        ? t('If something does not work for you, check your connection, and ask an administrator of your organization.')
        : t('The operator of this server can see this, too. This page reloads by itself.')
    }</p>
`,
    headers: { 'cache-control': 'public, max-age=10', refresh: '30' },
  })
}
