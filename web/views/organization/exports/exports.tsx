import { useQuery } from '@tanstack/react-query'
import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import Clock from 'lucide-react/icons/clock'
import Download from 'lucide-react/icons/download'
import { type ReactNode, useRef, useState } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { usePeople } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { Badge } from '../../../ui/text/badge.tsx'
import { Time } from '../../../ui/time/time.tsx'
import { sizeText } from '../../settings/files/size-text.ts'
import '../../settings/settings-table.css'
import { DeleteExportDialog } from './delete-export-dialog.tsx'
import { type DataExport, exportsQuery } from './exports-query.ts'
import { NewExportDialog } from './new-export-dialog.tsx'

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
    <section ref={section} className="settings-list" aria-label={t('Data exports')} tabIndex={-1}>
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
    <table className="settings-table" aria-label={t('Data exports')}>
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
      <td className="soft">{find(acting_user_id)?.full_name ?? t('Unknown user')}</td>
      <td className="soft">{export_type === 1 ? t('Public data') : t('Public and private data')}</td>
      <td>
        <Status shown={shown} />
      </td>
      <td className="settings-action">
        {export_url !== null && (
          <>
            {/* The page's address may differ from the address that the server knows. */}
            <a className="button button-plain" href={new URL(export_url).pathname} download>
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
