import Bold from 'lucide-react/icons/bold'
import Code from 'lucide-react/icons/code'
import EyeOff from 'lucide-react/icons/eye-off'
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
import { type Edit, emojiEdit, type Format, type Selection } from './formatting.ts'
import { applyEdit, applyFormat, FORMAT_KEYS, selectionOf } from './text-area.ts'

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

/** Returns the address of the server on which calls take place; null if the organization has no calls. */
export function findCallServer(organization: Organization): string | null {
  const { realm_video_chat_provider, realm_available_video_chat_providers: providers } = organization
  if (realm_video_chat_provider !== providers['jitsi_meet']?.id) return null
  return organization.realm_jitsi_server_url ?? organization.server_jitsi_server_url
}

/**
 * Returns an edit that inserts a link to a new call. The name of the room can't be guessed, because anyone who knows it
 * can enter the room.
 */
export function callEdit(server: string, kind: CallKind, selection: Selection): Edit {
  const address = `${server.replace(/\/+$/, '')}/${randomRoom()}`
  const link =
    kind === 'video'
      ? `[${t('Join video call.')}](${address})`
      : `[${t('Join voice call.')}](${address}#config.startWithVideoMuted=true)`
  return emojiEdit(link, selection)
}

/** Letters and digits that are easy to distinguish, because people may read the name of a room aloud. */
const SIGNS = 'abcdefghijkmnpqrstuvwxyz23456789'

const randomRoom = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(20)), (byte) => SIGNS[byte % SIGNS.length]).join('')

/** Buttons that insert a link to a new call at the cursor; nothing if the organization has no calls. */
export function CallButtons({ field }: { field: () => HTMLTextAreaElement | null }): ReactNode {
  const server = useOrganizationPart(findCallServer)
  if (server === null) return null

  function insert(kind: CallKind) {
    const area = field()
    if (server !== null && area !== null) applyEdit(area, callEdit(server, kind, selectionOf(area)))
  }

  return (
    <>
      <BarButton label={t('Add video call')} Icon={Video} onPress={() => insert('video')} />
      <BarButton label={t('Add voice call')} Icon={Phone} onPress={() => insert('voice')} />
    </>
  )
}
