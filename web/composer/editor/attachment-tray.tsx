import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import Plus from 'lucide-react/icons/plus'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import X from 'lucide-react/icons/x'
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { FILE_ICONS } from '../../message-html/file-card.tsx'
import { fileKind, fileSizeText, useFileSize } from '../../message-html/media-files.ts'
import { t } from '../../text/t.ts'
import type { Attachment } from '../attachments.ts'
import type { TrayItem, Uploads } from '../use-uploads.ts'
import * as css from './attachment-tray.module.css'
import { BarButton } from './bar-button.tsx'

/**
 * The files of a message, with pictures in small. Files that are being uploaded show their progress; uploaded files can
 * be removed, and arranged by dragging and by buttons.
 */
export function AttachmentTray(props: { uploads: Uploads; onAdd: () => void; onChanged: () => void }): ReactNode {
  const { uploads, onAdd, onChanged } = props
  const { items } = uploads
  const [dragged, drag] = useState<Attachment | null>(null)
  if (items.length === 0) return null
  const uploaded = items.flatMap((item) => (item.kind === 'attachment' ? [item.attachment] : []))

  return (
    <ul className={css.tray} aria-label={t('Attachments')}>
      {items.map((item) => {
        const attachment = item.kind === 'attachment' ? item.attachment : null
        const at = attachment === null ? -1 : uploaded.indexOf(attachment)
        return (
          <TrayFile
            key={attachment?.url ?? (item.kind === 'upload' ? item.upload.id : '')}
            item={item}
            onRemove={() => {
              uploads.remove(item)
              // The focused button disappears together with its file.
              onChanged()
            }}
            onRetry={uploads.retry}
            onEarlier={at > 0 ? () => uploads.move(attachment!, at - 1) : null}
            onLater={at !== -1 && at < uploaded.length - 1 ? () => uploads.move(attachment!, at + 1) : null}
            dragging={
              attachment === null
                ? null
                : {
                    isOver: dragged !== null && dragged.url !== attachment.url,
                    start: () => drag(attachment),
                    drop: () => dragged !== null && uploads.move(dragged, at),
                    end: () => drag(null),
                  }
            }
          />
        )
      })}
      <li>
        <button type="button" className={css.trayAdd} aria-label={t('Attach more files')} onClick={onAdd}>
          <Plus className="icon" aria-hidden="true" />
        </button>
      </li>
    </ul>
  )
}

type Dragging = { isOver: boolean; start: () => void; drop: () => void; end: () => void }

function TrayFile(props: {
  item: TrayItem
  onRemove: () => void
  onRetry: (id: number) => void
  onEarlier: (() => void) | null
  onLater: (() => void) | null
  dragging: Dragging | null
}): ReactNode {
  const { item, onRemove, onRetry, onEarlier, onLater, dragging } = props
  const upload = item.kind === 'upload' ? item.upload : null
  const name = item.kind === 'upload' ? item.file.name : item.attachment.name
  const error = upload?.error ?? null
  const isRunning = upload !== null && error === null
  return (
    <li
      className={css.trayFile}
      data-failed={error !== null || undefined}
      draggable={dragging !== null}
      onDragStart={(event: DragEvent) => {
        event.dataTransfer.effectAllowed = 'move'
        event.dataTransfer.setData(DRAG_TYPE, name)
        dragging?.start()
      }}
      onDragOver={(event: DragEvent) => {
        if (!dragging?.isOver) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
      }}
      onDrop={(event: DragEvent) => {
        if (!dragging?.isOver) return
        event.preventDefault()
        dragging.drop()
      }}
      onDragEnd={() => dragging?.end()}
    >
      <span className={css.trayPicture}>
        <TrayPicture item={item} name={name} />
        {isRunning && (
          <progress className={css.trayProgress} value={upload.progress} aria-label={t('Uploading {name}', { name })} />
        )}
        {onEarlier !== null && (
          <TrayButton
            label={t('Move {name} earlier', { name })}
            className={css.trayEarlier}
            Icon={ChevronLeft}
            onPress={onEarlier}
          />
        )}
        {onLater !== null && (
          <TrayButton
            label={t('Move {name} later', { name })}
            className={css.trayLater}
            Icon={ChevronRight}
            onPress={onLater}
          />
        )}
        {error !== null && upload !== null && (
          <TrayButton
            label={t('Retry upload of {name}', { name })}
            Icon={RefreshCw}
            onPress={() => onRetry(upload.id)}
          />
        )}
        <TrayButton
          label={isRunning ? t('Cancel upload of {name}', { name }) : t('Remove {name}', { name })}
          className={css.trayRemove}
          Icon={X}
          onPress={onRemove}
        />
      </span>
      <span className={css.trayName} title={name}>
        {name}
      </span>
      {error !== null ? (
        <span className={css.trayError} role="alert">
          {error}
        </span>
      ) : isRunning ? (
        <span className={css.traySize}>
          {t('{part, number, percent}', { part: Math.floor(upload.progress * 100) / 100 })}
        </span>
      ) : (
        <TraySize item={item} />
      )}
    </li>
  )
}

/** A type that no text field accepts when a file of the tray is dropped on it. */
const DRAG_TYPE = 'application/x-parley-attachment'

const TrayButton = ({
  className = '',
  ...props
}: {
  className?: string
  label: string
  Icon: typeof X
  onPress: () => void
}) => (
  <span className={`${css.trayButton} ${className}`}>
    <BarButton {...props} />
  </span>
)

/** The picture of a file, from this page if the file was chosen here; otherwise an icon for its type. */
function TrayPicture({ item, name }: { item: TrayItem; name: string }): ReactNode {
  const { file } = item
  const [local, setLocal] = useState<string | null>(null)
  const [isBroken, setBroken] = useState(false)
  const isImage = file === undefined ? fileKind(name) === 'image' : file.type.startsWith('image/')
  useEffect(() => {
    if (file === undefined || !isImage) return
    const address = URL.createObjectURL(file)
    setLocal(address)
    return () => URL.revokeObjectURL(address)
  }, [file, isImage])
  const source = local ?? (item.kind === 'attachment' && file === undefined ? item.attachment.url : null)
  if (isImage && source !== null && !isBroken)
    return <img src={source} alt="" draggable={false} loading="lazy" onError={() => setBroken(true)} />
  const Icon = FILE_ICONS[fileKind(name)]
  return <Icon className="icon" aria-hidden="true" />
}

/** The size of an uploaded file. The server is asked for it if the file was not chosen on this page. */
function TraySize({ item }: { item: TrayItem }): ReactNode {
  const line = useRef<HTMLSpanElement>(null)
  const isLocal = item.file !== undefined || item.kind === 'upload'
  const size = useFileSize(line, isLocal ? null : item.attachment.url)
  const bytes = item.file?.size ?? size
  return (
    <span ref={line} className={css.traySize}>
      {bytes !== null && fileSizeText(bytes)}
    </span>
  )
}
