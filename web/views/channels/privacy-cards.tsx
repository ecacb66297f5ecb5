import Globe from 'lucide-react/icons/globe'
import Hash from 'lucide-react/icons/hash'
import History from 'lucide-react/icons/history'
import Lock from 'lucide-react/icons/lock'
import type { Card } from '../../ui/fields/radio-cards.tsx'
import { PRIVACIES, type Privacy } from './privacy.ts'

const ICONS = { web: Globe, public: Hash, 'private-shared': History, 'private-protected': Lock }

export const privacyCards = (offered: readonly Privacy[]): Card[] =>
  offered.map((id) => {
    const Icon = ICONS[id]
    return { id, ...PRIVACIES[id], icon: <Icon className="icon" aria-hidden="true" /> }
  })
