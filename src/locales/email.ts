import type { Locale } from './words.ts';

/** What the email step says. It is loaded only where it is shown, with all languages in one file. */
export interface EmailWords {
  title: string;
  text: string;
  added: string;
  byHand: string;
  allSet: string;
  notes: string;
  failed: string;
  name: string;
  value: string;
  priority: string;
  copyOf: string;
}

export const EMAIL_WORDS: Readonly<Record<Locale, EmailWords>> = {
  en: {
    title: 'Set up email for {domain}',
    text: 'Where are your mailboxes? We add what changes nothing else, and show you the rest.',
    added: 'Added for you: {records}.',
    byHand: 'Add these records by hand at your DNS provider:',
    allSet: 'Everything is set up.',
    notes: 'Good to know',
    failed: 'This did not work. Try again in a moment.',
    name: 'Name',
    value: 'Value',
    priority: 'Priority',
    copyOf: 'Copy {field} of {record}',
  },
  de: {
    title: 'E-Mail für {domain} einrichten',
    text: 'Wo liegen Ihre Postfächer? Wir tragen ein, was sonst nichts ändert, und zeigen Ihnen den Rest.',
    added: 'Für Sie eingetragen: {records}.',
    byHand: 'Tragen Sie diese Einträge bei Ihrem DNS-Anbieter von Hand ein:',
    allSet: 'Alles ist eingerichtet.',
    notes: 'Gut zu wissen (auf Englisch)',
    failed: 'Das hat nicht geklappt. Versuchen Sie es gleich noch einmal.',
    name: 'Name',
    value: 'Wert',
    priority: 'Priorität',
    copyOf: '{field} von {record} kopieren',
  },
  fr: {
    title: 'Configurer l’e-mail pour {domain}',
    text: 'Où sont vos boîtes aux lettres ? Nous ajoutons ce qui ne change rien d’autre et vous montrons le reste.',
    added: 'Ajouté pour vous : {records}.',
    byHand: 'Ajoutez ces enregistrements à la main chez votre fournisseur DNS :',
    allSet: 'Tout est configuré.',
    notes: 'Bon à savoir (en anglais)',
    failed: 'Cela n’a pas fonctionné. Réessayez dans un instant.',
    name: 'Nom',
    value: 'Valeur',
    priority: 'Priorité',
    copyOf: 'Copier {field} de {record}',
  },
  es: {
    title: 'Configurar el correo de {domain}',
    text: '¿Dónde están sus buzones? Añadimos lo que no cambia nada más y le mostramos el resto.',
    added: 'Añadido para usted: {records}.',
    byHand: 'Añada estos registros a mano en su proveedor de DNS:',
    allSet: 'Todo está configurado.',
    notes: 'Conviene saber (en inglés)',
    failed: 'No ha funcionado. Inténtelo de nuevo en un momento.',
    name: 'Nombre',
    value: 'Valor',
    priority: 'Prioridad',
    copyOf: 'Copiar {field} de {record}',
  },
  'pt-BR': {
    title: 'Configurar o e-mail de {domain}',
    text: 'Onde estão suas caixas de correio? Adicionamos o que não muda mais nada e mostramos o resto.',
    added: 'Adicionado para você: {records}.',
    byHand: 'Adicione estes registros manualmente no seu provedor de DNS:',
    allSet: 'Tudo está configurado.',
    notes: 'Bom saber (em inglês)',
    failed: 'Não funcionou. Tente de novo em instantes.',
    name: 'Nome',
    value: 'Valor',
    priority: 'Prioridade',
    copyOf: 'Copiar {field} de {record}',
  },
  ja: {
    title: '{domain} のメールを設定',
    text: 'メールボックスはどちらですか？ほかに影響しないレコードを追加し、残りを表示します。',
    added: '追加しました：{records}。',
    byHand: '次のレコードをDNSプロバイダーで手動で追加してください：',
    allSet: 'すべて設定済みです。',
    notes: '参考情報（英語）',
    failed: 'うまくいきませんでした。しばらくしてからもう一度お試しください。',
    name: '名前',
    value: '値',
    priority: '優先度',
    copyOf: '{record} の{field}をコピー',
  },
  ar: {
    title: 'إعداد البريد الإلكتروني لـ {domain}',
    text: 'أين توجد صناديق بريدك؟ نضيف ما لا يغيّر شيئًا آخر ونعرض لك الباقي.',
    added: 'أُضيف لك: {records}.',
    byHand: 'أضف هذه السجلات يدويًا لدى مزوّد DNS:',
    allSet: 'كل شيء مُعدّ.',
    notes: 'من المفيد معرفته (بالإنجليزية)',
    failed: 'لم ينجح ذلك. حاول مرة أخرى بعد لحظات.',
    name: 'الاسم',
    value: 'القيمة',
    priority: 'الأولوية',
    copyOf: 'نسخ {field} من {record}',
  },
};
