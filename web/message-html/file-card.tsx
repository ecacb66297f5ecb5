import Download from 'lucide-react/icons/download'
import File from 'lucide-react/icons/file'
import FileArchive from 'lucide-react/icons/file-archive'
import FileCode from 'lucide-react/icons/file-code'
import FileImage from 'lucide-react/icons/file-image'
import FileSpreadsheet from 'lucide-react/icons/file-spreadsheet'
import FileText from 'lucide-react/icons/file-text'
import { type ReactNode, useRef } from 'react'
import { t } from '../text/t.ts'
import * as css from './file-card.module.css'
import { extensionOf, type FileKind, fileKind, fileSizeText, useFileSize } from './media-files.ts'

/** The icons of files by kind. */
export const FILE_ICONS: Readonly<Record<FileKind, typeof File>> = {
  video: File,
  audio: File,
  image: FileImage,
  archive: FileArchive,
  code: FileCode,
  table: FileSpreadsheet,
  text: FileText,
  other: File,
}

/** An uploaded file with its name, type and size, and a link that downloads it. */
export function FileCard(props: { address: string; name: string; isMissing?: boolean }): ReactNode {
  const { address, name, isMissing = false } = props
  const Icon = FILE_ICONS[fileKind(name)]
  const card = useRef<HTMLDivElement>(null)
  const size = useFileSize(card, isMissing ? null : address)
  const type = extensionOf(name).toUpperCase() || t('File')
  return (
    <div ref={card} className={css.fileCard}>
      <span className={css.fileIcon}>
        <Icon className="icon" aria-hidden="true" />
      </span>
      <span className={css.fileText}>
        <a className={css.fileName} href={address} target="_blank" rel="noopener noreferrer">
          {name}
        </a>
        <span className={css.fileType}>
          {isMissing
            ? t('Couldn’t load the picture')
            : size === null
              ? type
              : t('{type} · {size}', { type, size: fileSizeText(size) })}
        </span>
      </span>
      {!isMissing && (
        <a className="content-tool" href={address} download={name} aria-label={t('Download {name}', { name })}>
          <Download className="icon" aria-hidden="true" />
        </a>
      )}
    </div>
  )
}
