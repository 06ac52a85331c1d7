import type { Locale } from './words.ts';

/** Texts of the email setup. All languages are in one file, which the widget loads only when it shows the setup. */
export interface EmailWords {
  title: string;
  text: string;
  added: string;
  manual: string;
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
    text: "Who hosts your mailboxes? We'll add the records that are safe to add, and show you the rest.",
    added: 'Added for you: {records}.',
    manual: 'Add these records manually at your DNS provider:',
    allSet: 'Your email is set up.',
    notes: 'Good to know',
    failed: "We couldn't set up your email. Try again in a moment.",
    name: 'Name',
    value: 'Value',
    priority: 'Priority',
    copyOf: 'Copy {field} of {record}',
  },
  de: {
    title: 'E-Mail für {domain} einrichten',
    text: 'Bei wem liegen Ihre Postfächer? Wir fügen alle unbedenklichen Einträge hinzu und zeigen Ihnen den Rest.',
    added: 'Für Sie hinzugefügt: {records}.',
    manual: 'Fügen Sie diese Einträge bei Ihrem DNS-Anbieter manuell hinzu:',
    allSet: 'Ihre E-Mail ist eingerichtet.',
    notes: 'Gut zu wissen (auf Englisch)',
    failed: 'Ihre E-Mail ließ sich nicht einrichten. Versuchen Sie es gleich noch einmal.',
    name: 'Name',
    value: 'Wert',
    priority: 'Priorität',
    copyOf: '{field} kopieren: {record}',
  },
  fr: {
    title: 'Configurer l’e-mail pour {domain}',
    text: 'Qui héberge vos boîtes mail ? Nous ajoutons les enregistrements sans risque et vous montrons le reste.',
    added: 'Ajouté pour vous : {records}.',
    manual: 'Ajoutez ces enregistrements manuellement chez votre fournisseur DNS :',
    allSet: 'Votre e-mail est configuré.',
    notes: 'Bon à savoir (en anglais)',
    failed: 'Nous n’avons pas pu configurer votre e-mail. Réessayez dans un instant.',
    name: 'Nom',
    value: 'Valeur',
    priority: 'Priorité',
    copyOf: 'Copier {field} : {record}',
  },
  es: {
    title: 'Configurar el correo de {domain}',
    text: '¿Quién aloja tus buzones? Añadiremos los registros que no entrañan riesgo y te mostraremos el resto.',
    added: 'Hemos añadido: {records}.',
    manual: 'Añade estos registros manualmente en tu proveedor de DNS:',
    allSet: 'Tu correo está configurado.',
    notes: 'Conviene saber (en inglés)',
    failed: 'No pudimos configurar tu correo. Inténtalo de nuevo en un momento.',
    name: 'Nombre',
    value: 'Valor',
    priority: 'Prioridad',
    copyOf: 'Copiar {field} de {record}',
  },
  'pt-BR': {
    title: 'Configurar o e-mail de {domain}',
    text: 'Quem hospeda suas caixas de correio? Vamos adicionar os registros que não trazem risco e mostrar o resto.',
    added: 'Adicionado para você: {records}.',
    manual: 'Adicione estes registros manualmente no seu provedor de DNS:',
    allSet: 'Seu e-mail está configurado.',
    notes: 'Bom saber (em inglês)',
    failed: 'Não conseguimos configurar seu e-mail. Tente de novo em um instante.',
    name: 'Nome',
    value: 'Valor',
    priority: 'Prioridade',
    copyOf: 'Copiar {field} de {record}',
  },
  ja: {
    title: '{domain} のメールを設定',
    text: 'メールボックスはどのサービスにありますか？影響のないレコードを追加し、残りを表示します。',
    added: '追加しました：{records}。',
    manual: 'DNS プロバイダーで次のレコードを手動で追加してください：',
    allSet: 'メールの設定が完了しました。',
    notes: '参考情報（英語）',
    failed: 'メールを設定できませんでした。少し待ってから、もう一度お試しください。',
    name: '名前',
    value: '値',
    priority: '優先度',
    copyOf: '{record} の{field}をコピー',
  },
  ar: {
    title: 'إعداد البريد الإلكتروني لـ {domain}',
    text: 'من يستضيف صناديق بريدك؟ سنضيف السجلات التي لا تؤثر في غيرها ونعرض لك الباقي.',
    added: 'أُضيف لك: {records}.',
    manual: 'أضف هذه السجلات يدويًا لدى مزوّد DNS لديك:',
    allSet: 'تم إعداد بريدك الإلكتروني.',
    notes: 'من المفيد معرفته (بالإنجليزية)',
    failed: 'تعذّر إعداد بريدك الإلكتروني. حاول مجددًا بعد قليل.',
    name: 'الاسم',
    value: 'القيمة',
    priority: 'الأولوية',
    copyOf: 'نسخ {field}: {record}',
  },
};
