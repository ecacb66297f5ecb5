import Bold from 'lucide-react/icons/bold'
import Code from 'lucide-react/icons/code'
import EyeOff from 'lucide-react/icons/eye-off'
import ImagePlay from 'lucide-react/icons/image-play'
import Italic from 'lucide-react/icons/italic'
import Link from 'lucide-react/icons/link'
import List from 'lucide-react/icons/list'
import Phone from 'lucide-react/icons/phone'
import TextQuote from 'lucide-react/icons/text-quote'
import Video from 'lucide-react/icons/video'
import type { ReactNode } from 'react'
import { Toolbar } from 'react-aria-components/Toolbar'
import { type Organization, useOrganizationPart } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import * as css from '../composer.module.css'
import { BarButton } from './bar-button.tsx'
import type { Format } from './formatting.ts'
import { applyFormat, FORMAT_KEYS } from './text-area.ts'

const TOOLS: readonly { format: Format; label: string; Icon: typeof Bold }[] = [
  { format: 'bold', label: t('Bold'), Icon: Bold },
  { format: 'italic', label: t('Italic'), Icon: Italic },
  { format: 'link', label: t('Link'), Icon: Link },
  { format: 'list', label: t('List'), Icon: List },
  { format: 'quote', label: t('Quote'), Icon: TextQuote },
  { format: 'code', label: t('Code'), Icon: Code },
  { format: 'spoiler', label: t('Spoiler'), Icon: EyeOff },
]

/**
 * Buttons that format the selection of the text area that `field` returns. Further formats are in the menu beside them.
 */
export function FormatBar(props: { field: () => HTMLTextAreaElement | null; isDisabled?: boolean }): ReactNode {
  const { field, isDisabled = false } = props
  return (
    <Toolbar className={css.formatBar} aria-label={t('Format')}>
      {TOOLS.map(({ format, label, Icon }) => (
        <BarButton
          key={format}
          label={label}
          keys={FORMAT_KEYS[format]}
          Icon={Icon}
          isDisabled={isDisabled}
          onPress={() => {
            const area = field()
            if (area !== null) applyFormat(area, format)
          }}
        />
      ))}
    </Toolbar>
  )
}

/** The kind of a call: participants join with or without their camera on. */
export type CallKind = 'video' | 'voice'

/**
 * Returns the service on which calls take place: `zoom`, `big_blue_button`, or the address of a Jitsi server. Returns
 * null if the organization has no calls.
 */
export function findCallService(organization: Organization): string | null {
  const { realm_video_chat_provider: chosen, realm_available_video_chat_providers: providers } = organization
  const name = Object.keys(providers).find((name) => providers[name]?.id === chosen)
  if (name === 'zoom' || name === 'big_blue_button') return name
  if (name !== 'jitsi_meet') return null
  return organization.realm_jitsi_server_url ?? organization.server_jitsi_server_url
}

/** Returns whether the organization has GIFs: the server has a search for them, and administrators allow it. */
export const hasGifs = ({ realm_giphy_rating, giphy_rating_options }: Organization): boolean =>
  realm_giphy_rating !== 0 && Object.keys(giphy_rating_options).length > 1

/** The button that opens the search for GIFs; nothing if the organization has none. */
export function GifButton({ onPress }: { onPress: () => void }): ReactNode {
  if (!useOrganizationPart(hasGifs)) return null
  return <BarButton label={t('Add GIF')} Icon={ImagePlay} aria-haspopup="dialog" onPress={onPress} />
}

/** Buttons that insert a link to a new call; nothing if the organization has no calls. */
export function CallButtons({ onCall }: { onCall: (kind: CallKind) => void }): ReactNode {
  if (useOrganizationPart(findCallService) === null) return null
  return (
    <>
      <BarButton label={t('Add video call')} Icon={Video} onPress={() => onCall('video')} />
      <BarButton label={t('Add voice call')} Icon={Phone} onPress={() => onCall('voice')} />
    </>
  )
}
