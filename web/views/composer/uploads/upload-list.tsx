import FileIcon from 'lucide-react/icons/file'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { t } from '../../../text/t.ts'
import { BarButton } from '../bar/bar-button.tsx'
import './upload-list.css'
import type { Upload, Uploads } from './use-uploads.ts'

/** The files that are being uploaded, each with its progress and buttons to cancel or try again. */
export function UploadList({ uploads }: { uploads: Uploads }): ReactNode {
  if (uploads.list.length === 0) return null
  return (
    <ul className="uploads" aria-label={t('Uploads')}>
      {uploads.list.map((one) => (
        <UploadRow key={one.id} upload={one} uploads={uploads} />
      ))}
    </ul>
  )
}

function UploadRow({ upload, uploads }: { upload: Upload; uploads: Uploads }): ReactNode {
  const { id, file, progress, error } = upload
  const { name } = file
  return (
    <li className="upload" data-failed={error !== null || undefined}>
      <FileIcon className="icon" aria-hidden="true" />
      <span className="upload-name">{name}</span>
      {error === null ? (
        <progress className="upload-progress" value={progress} aria-label={t('Uploading {name}', { name })} />
      ) : (
        <span className="upload-error" role="alert">
          {error}
        </span>
      )}
      {error !== null && (
        <BarButton label={t('Retry upload of {name}', { name })} Icon={RefreshCw} onPress={() => uploads.retry(id)} />
      )}
      <BarButton
        label={error === null ? t('Cancel upload of {name}', { name }) : t('Remove {name}', { name })}
        Icon={X}
        onPress={() => uploads.remove(id)}
      />
    </li>
  )
}
