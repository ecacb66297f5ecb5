/**
 * The hash of the statements of each migration on main: databases have run them, so they never change. Add a line for a
 * new migration when it lands; the failing test prints it.
 */
export const released: Readonly<Record<string, string>> = {
  '0047-create-all-tables': '9byRnyosPTcO0n7D',
  '0048-create-incoming-webhooks': 'T8gTTXvVZ07GPuo1',
  '0049-create-webhook-deliveries': 'JUI5s6GlPxAWGS0z',
  '0050-add-reminders': 'lzMkF9xgE5Yha_wP',
  '0051-create-zoom-tokens': '6oZbvTlM8Dominhn',
  '0052-create-mail-in': 'H3ODkVxmiP-uBJH6',
  '0053-create-outgoing-deliveries': 'gFtmDUPSYKHUpTSG',
  '0054-create-bot-commands': 'MTaJH-u2bhS5h-tQ',
  '0055-add-delivery-destinations': 'n7FcUjLd5-F4Yz20',
  '0056-create-audit-entries': 'HHvadYGRcsbyS0Zk',
  '0057-create-second-factors': 'jcCA6kZzJrs7hb0y',
  '0058-create-scim': 'x6zWKfik1BkkCsGk',
  '0059-create-erasures': '1xN57FoYr3CY4Pd-',
  '0060-create-mobile-pushes': '0Ymd8xXoLf2SJtvx',
  '0061-create-legal-holds': 'IidYuyDp6FO7aGXZ',
  '0062-create-sign-ins': 'galYwk7p08MbPCCf',
  '0063-add-identity-issuers': '8HwCd3br3Br6r7s1',
  '0064-require-second-factors': 'fOZ3u_DfGDhcIGv9',
  '0065-add-demo-organizations': 'bu9hEFdniDMqqeLP',
  '0066-store-times-exactly': 'jElSeJCP1f6VBkk2',
  '0067-record-oldest-programs': 'NSGUq-WRW0NEpdOb',
  '0068-count-recipient-changes': 'yXpg9IEoHWv-kDyC',
  '0069-share-audiences': 'Jwoe7zV7x4WoxvG8',
  '0070-create-nodes': 'AE6YUDy0YC8Yhlsg',
  '0071-spread-organizations': 'LH1g2nM0EtneHFcd',
}
