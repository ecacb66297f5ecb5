import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import Clock from 'lucide-react/icons/clock'
import Download from 'lucide-react/icons/download'
import { type ReactNode, useRef, useState } from 'react'
import { type AnswerOf, call } from '../../api/call.ts'
import * as settingsCss from '../../forms/settings.module.css'
import * as settingsTableCss from '../../settings/settings-table.module.css'
import { sizeText } from '../../settings/size-text.ts'
import { toAppError } from '../../store/app-error.ts'
import { unknownName, usePeople } from '../../store/people.ts'
import { CONSENTS_KEY, EXPORTS_KEY } from '../../store/query-client.ts'
import { t } from '../../text/t.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions, DialogForm } from '../../ui/dialog.tsx'
import { RadioCards } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Empty, Loading } from '../../ui/page-states.tsx'
import { absoluteTime, Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.ts'

type DataExport = AnswerOf<'GET /export/realm'>['exports'][number]

/** The exports of the organization. Events keep them current. */
const exportsQuery = queryOptions({
  queryKey: EXPORTS_KEY,
  queryFn: ({ signal }) => call('GET /export/realm', { include_size: true }, { signal }),
})

/** The users who allow the export of their private data. The list is loaded again after each change. */
const consentsQuery = queryOptions({
  queryKey: CONSENTS_KEY,
  queryFn: ({ signal }) => call('GET /export/realm/consents', {}, { signal }),
})

/** Asks before the file of an export is deleted. */
function DeleteExportDialog(props: { deleted: DataExport; onClose: () => void; onDeleted: () => void }): ReactNode {
  const { deleted, onClose, onDeleted } = props
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /export/realm/{export_id}', { export_id: deleted.id }),
    onSuccess() {
      showToast(t('Export deleted'))
      onDeleted()
    },
  })
  return (
    <Dialog title={t('Delete this export?')} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t delete the export')} error={toAppError(error)} />}
        <p>
          {t('No one will be able to download the export of {time}. The organization itself doesn’t change.', {
            time: absoluteTime(deleted.export_time),
          })}
        </p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Delete export')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const TYPES = { public: 1, consented: 2 } as const

/** Starts an export of public data, optionally with the private data of users who allow it. */
function NewExportDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [type, setType] = useState<keyof typeof TYPES>('public')
  const { data } = useQuery(consentsQuery)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('POST /export/realm', { export_type: TYPES[type] }),
    onSuccess() {
      showToast(t('Export started. Notification Bot sends you a message when it is complete.'))
      onClose()
    },
  })
  const people = data?.export_consents ?? []
  const consenting = people.filter(({ consented }) => consented).length
  return (
    <Dialog title={t('Start export')} isOpen onClose={onClose}>
      <DialogForm action={t('Start export')} isPending={isPending} onSubmit={() => mutate()} onCancel={onClose}>
        {error !== null && <ErrorNotice title={t('Couldn’t start the export')} error={toAppError(error)} />}
        <RadioCards
          label={t('Data to export')}
          value={type}
          onChange={(value) => setType(value as keyof typeof TYPES)}
          cards={[
            {
              id: 'public',
              label: t('Public data'),
              hint: t('Everyone’s profile, and public channels with their messages and files.'),
            },
            {
              id: 'consented',
              label: t('Public and private data'),
              hint: t('Public data, plus settings, direct messages and private channels of people who allow it.'),
            },
          ]}
        />
        {data !== undefined && (
          <p className="soft">
            {t(
              '{consenting, plural, =0 {No one has allowed the export of their private data.} one {# of {total, number} people allows the export of their private data.} other {# of {total, number} people allow the export of their private data.}} Everyone decides this in their account settings.',
              { consenting, total: people.length },
            )}
          </p>
        )}
        <p className="soft">{t('An organization can start five exports in seven days.')}</p>
      </DialogForm>
    </Dialog>
  )
}

/** The exports of the organization that can be downloaded, are being made, or have failed. */
export function DataExports(): ReactNode {
  const { data, error, refetch } = useQuery(exportsQuery)
  const [isStarting, setStarting] = useState(false)
  const [deleting, setDeleting] = useState<DataExport | null>(null)
  const section = useRef<HTMLElement>(null)
  const failure = error !== null && <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return failure || <Loading label={t('Loading data exports')} />
  const shown = data.exports.filter((one) => one.deleted_timestamp === null).toReversed()
  return (
    <section ref={section} className={settingsCss.settingsList} aria-label={t('Data exports')} tabIndex={-1}>
      {failure}
      <div>
        <Button
          kind="primary"
          icon={<Download className="icon" aria-hidden="true" />}
          isPending={shown.some(({ pending }) => pending)}
          onPress={() => setStarting(true)}
        >
          {t('Start export')}
        </Button>
      </div>
      {shown.length === 0 ? (
        <Empty icon={<Download />} title={t('No data exports')}>
          <p>{t('Exports that administrators start appear here.')}</p>
        </Empty>
      ) : (
        <ExportTable exports={shown} onDelete={setDeleting} />
      )}
      {isStarting && <NewExportDialog onClose={() => setStarting(false)} />}
      {deleting !== null && (
        <DeleteExportDialog
          deleted={deleting}
          onClose={() => setDeleting(null)}
          onDeleted={() => {
            setDeleting(null)
            // The button that opened the dialog is removed.
            requestAnimationFrame(() => section.current?.focus())
          }}
        />
      )}
    </section>
  )
}

type TableProps = { exports: readonly DataExport[]; onDelete: (one: DataExport) => void }

function ExportTable({ exports, onDelete }: TableProps): ReactNode {
  return (
    <table className={settingsTableCss.settingsTable} aria-label={t('Data exports')}>
      <thead>
        <tr>
          <th scope="col">{t('Started')}</th>
          <th scope="col">{t('By')}</th>
          <th scope="col">{t('Data')}</th>
          <th scope="col">{t('Status')}</th>
          <th scope="col">
            <span className="visually-hidden">{t('Actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {exports.map((one) => (
          <ExportRow key={one.id} shown={one} onDelete={() => onDelete(one)} />
        ))}
      </tbody>
    </table>
  )
}

function ExportRow({ shown, onDelete }: { shown: DataExport; onDelete: () => void }): ReactNode {
  const { export_time, acting_user_id, export_type, export_url } = shown
  const find = usePeople()
  return (
    <tr>
      <th scope="row">
        <Time at={export_time} as="absolute" />
      </th>
      <td className="soft">{find(acting_user_id)?.full_name ?? unknownName()}</td>
      <td className="soft">{export_type === 1 ? t('Public data') : t('Public and private data')}</td>
      <td>
        <Status shown={shown} />
      </td>
      <td className={settingsCss.settingsAction}>
        {export_url !== null && (
          <>
            {/* The page's address may differ from the address that the server knows. */}
            <a className="button" href={new URL(export_url).pathname} download>
              {t('Download')}
            </a>
            <Button kind="quiet" onPress={onDelete}>
              {t('Delete')}
            </Button>
          </>
        )}
      </td>
    </tr>
  )
}

function Status({ shown }: { shown: DataExport }): ReactNode {
  const { pending, failed_timestamp, size } = shown
  if (pending) return <Badge icon={<Clock className="icon" aria-hidden="true" />}>{t('In progress')}</Badge>
  if (failed_timestamp !== null)
    return (
      <>
        <Badge kind="danger" icon={<CircleAlert className="icon" aria-hidden="true" />}>
          {t('Failed')}
        </Badge>
        <p className="soft small">
          {t(
            'Start another export. If that fails, too, ask the operator of the server. The reason is in the server log.',
          )}
        </p>
      </>
    )
  return (
    <Badge kind="good" icon={<CircleCheck className="icon" aria-hidden="true" />}>
      {t('Complete, {size}', { size: sizeText(size ?? 0) })}
    </Badge>
  )
}
