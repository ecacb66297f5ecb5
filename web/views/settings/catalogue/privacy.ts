import { t } from '../../../text/t.ts'

/** Settings about what other people see. */
export const PRIVACY_SETTINGS = {
  presence_enabled: {
    section: 'availability',
    label: t('Your availability'),
    keywords: t('presence, online, invisible'),
  },
  presence_hidden_until: { section: 'availability', label: t('Hide for a while…'), keywords: t('presence, invisible') },
  send_private_typing_notifications: {
    section: 'availability',
    label: t('Let recipients see when I’m typing direct messages'),
  },
  send_stream_typing_notifications: {
    section: 'availability',
    label: t('Let recipients see when I’m typing messages in channels'),
  },
  receives_typing_notifications: { section: 'availability', label: t('Show when others are typing') },
  send_read_receipts: {
    section: 'availability',
    label: t('Let others see when I’ve read messages'),
    keywords: t('read receipts'),
  },
  email_address_visibility: {
    section: 'account',
    label: t('Who can see my email address'),
    options: [
      { value: 1, label: t('Everyone') },
      { value: 2, label: t('Members') },
      { value: 5, label: t('Moderators and administrators') },
      { value: 3, label: t('Administrators') },
      { value: 4, label: t('Nobody') },
    ],
  },
  allow_private_data_export: {
    section: 'account',
    label: t('Allow my private data to be exported'),
    about: t('Administrators see your choice before your organization’s data is exported.'),
    keywords: t('consent'),
  },
}
