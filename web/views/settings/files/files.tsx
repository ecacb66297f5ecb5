import { useQuery } from '@tanstack/react-query'
import Paperclip from 'lucide-react/icons/paperclip'
import { type ReactNode, useState } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { TextField } from '../../../ui/fields/field.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { Time } from '../../../ui/time/time.tsx'
import { matchesName } from '../../chat/sidebar/matches-name.ts'
import '../settings-table.css'
import { DeleteFileDialog } from './delete-file-dialog.tsx'
import { FileUses, useFileMessages } from './file-uses.tsx'
import { type OwnFile, ownFiles } from './own-files.ts'
import { sizeText } from './size-text.ts'

const ORDERS = {
  newest: (one: OwnFile, other: OwnFile) => other.create_time - one.create_time,
  oldest: (one: OwnFile, other: OwnFile) => one.create_time - other.create_time,
  largest: (one: OwnFile, other: OwnFile) => other.size - one.size,
  smallest: (one: OwnFile, other: OwnFile) => one.size - other.size,
  name: (one: OwnFile, other: OwnFile) => one.name.localeCompare(other.name),
  nameReversed: (one: OwnFile, other: OwnFile) => other.name.localeCompare(one.name),
}

type Order = keyof typeof ORDERS

/** The maximum number of files that are shown at first. */
const MAX_SHOWN = 100

/** The files that the user has uploaded, with their sizes and the messages that link to them. */
export function Files(): ReactNode {
  const { data, error, refetch } = useQuery(ownFiles)
  const [text, setText] = useState('')
  const [order, setOrder] = useState<Order>('newest')
  const [areAllShown, showAll] = useState(false)
  const [deleting, setDeleting] = useState<OwnFile | null>(null)
  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading files')} />
  if (data.attachments.length === 0)
    return (
      <Empty icon={<Paperclip />} title={t('No uploaded files')}>
        <p>{t('Files that you attach to messages appear here.')}</p>
      </Empty>
    )
  const found = data.attachments.filter(({ name }) => matchesName(name, text)).toSorted(ORDERS[order])
  const shown = areAllShown ? found : found.slice(0, MAX_SHOWN)
  const total = data.attachments.reduce((sum, { size }) => sum + size, 0)
  return (
    <>
      <p>
        {t('{count, plural, one {# file} other {# files}}, {size}', {
          count: data.attachments.length,
          size: sizeText(total),
        })}
      </p>
      <search className="settings-filters" aria-label={t('Filter files')}>
        <TextField label={t('Search files')} type="search" value={text} onChange={setText} />
        <SelectField
          label={t('Sort by')}
          value={order}
          options={[
            { id: 'newest', label: t('Newest first') },
            { id: 'oldest', label: t('Oldest first') },
            { id: 'largest', label: t('Largest first') },
            { id: 'smallest', label: t('Smallest first') },
            { id: 'name', label: t('Name') },
            { id: 'nameReversed', label: t('Name, Z to A') },
          ]}
          onChange={setOrder}
        />
      </search>
      {shown.length === 0 ? (
        <p className="soft">{t('No matching files.')}</p>
      ) : (
        <FileTable files={shown} onDelete={setDeleting} />
      )}
      {shown.length < found.length && (
        <Button onPress={() => showAll(true)}>{t('Show all {count} files', { count: found.length })}</Button>
      )}
      {deleting !== null && <DeleteFileDialog file={deleting} onClose={() => setDeleting(null)} />}
    </>
  )
}

function FileTable({ files, onDelete }: { files: readonly OwnFile[]; onDelete: (file: OwnFile) => void }): ReactNode {
  const messages = useFileMessages(files)
  return (
    <table className="settings-table">
      <thead>
        <tr>
          <th scope="col">{t('File')}</th>
          <th scope="col">{t('Size')}</th>
          <th scope="col">{t('Uploaded')}</th>
          <th scope="col">{t('Used in')}</th>
          <th scope="col">
            <span className="visually-hidden">{t('Actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {files.map((file) => (
          <tr key={file.id}>
            <th scope="row">
              <a href={`/user_uploads/${file.path_id}`} target="_blank" rel="noopener noreferrer">
                {file.name}
              </a>
            </th>
            <td className="soft settings-table-number">{sizeText(file.size)}</td>
            <td className="soft">
              <Time at={file.create_time / 1000} as="ago" />
            </td>
            <td>
              <FileUses file={file} messages={messages} />
            </td>
            <td className="settings-action">
              <a
                className="button button-quiet"
                href={`/user_uploads/${file.path_id}`}
                download={file.name}
                aria-label={t('Download {name}', { name: file.name })}
              >
                {t('Download')}
              </a>
              <Button aria-label={t('Delete {name}', { name: file.name })} onPress={() => onDelete(file)}>
                {t('Delete')}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
