import { type ReactNode, useState } from 'react'
import { t } from '../../text/t.ts'
import { ContentTool } from '../content-tool.tsx'
import { hostOf } from '../media-files.ts'
import * as css from './link-preview.module.css'

/**
 * The preview of a website: its host, title and description. Its picture is loaded only at the user's request, because
 * loading tells the site who reads the message (docs/decisions/0067).
 */
export function LinkPreview(props: {
  address: string
  title: ReactNode
  description: ReactNode
  picture: string | null
}): ReactNode {
  const { address, title, description, picture } = props
  const [isShown, setShown] = useState(false)
  const [isFailed, setFailed] = useState(false)
  return (
    <div className={css.linkPreview}>
      <div className={css.linkPreviewHost}>{hostOf(address)}</div>
      <div className={css.linkPreviewTitle}>{title}</div>
      {description !== null && <div className={css.linkPreviewDescription}>{description}</div>}
      {picture !== null && !isShown && (
        <ContentTool title={t('Loads from {host}', { host: hostOf(picture) })} onClick={() => setShown(true)}>
          {t('Show picture')}
        </ContentTool>
      )}
      {picture !== null && isShown && !isFailed && (
        <img src={picture} alt="" decoding="async" onError={() => setFailed(true)} />
      )}
      {isFailed && <div className={css.linkPreviewHost}>{t('Couldn’t load the picture')}</div>}
    </div>
  )
}
