import { type ReactNode, useState } from 'react'
import { hostOf } from '../media-files.ts'
import * as css from './link-preview.module.css'

/**
 * The preview of a website: its host, title, description and picture. This server passes the picture on, so that the
 * browser contacts no other site. Without the picture, the preview is narrower.
 */
export function LinkPreview(props: {
  address: string
  title: ReactNode
  description: ReactNode
  picture: string | null
}): ReactNode {
  const { address, title, description, picture } = props
  const [isFailed, setFailed] = useState(false)
  return (
    <div className={css.linkPreview}>
      <div className={css.linkPreviewText}>
        <div className={css.linkPreviewHost}>{hostOf(address)}</div>
        <div className={css.linkPreviewTitle}>{title}</div>
        {description !== null && <div className={css.linkPreviewDescription}>{description}</div>}
      </div>
      {picture !== null && !isFailed && (
        <img src={picture} alt="" loading="lazy" decoding="async" onError={() => setFailed(true)} />
      )}
    </div>
  )
}
