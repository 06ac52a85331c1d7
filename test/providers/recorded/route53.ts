import { signV4 } from '../../../src/providers/route53/sigv4.ts';
import type { RecordedCall, RecordedCalls } from './recorded-calls.ts';

const NAMESPACE = 'xmlns="https://route53.amazonaws.com/doc/2013-04-01/"';

function set(name: string, type: string, ttl: number, ...values: string[]): string {
  const records = values.map((value) => `<ResourceRecord><Value>${value}</Value></ResourceRecord>`).join('');
  const content = `<Name>${name}</Name><Type>${type}</Type><TTL>${ttl}</TTL><ResourceRecords>${records}</ResourceRecords>`;
  return `<ResourceRecordSet>${content}</ResourceRecordSet>`;
}

/** Id of the double's first zone. */
const RRSET = '/2013-04-01/hostedzone/Z0000000000000/rrset';

function sent(action: string, record: string, then: Pick<RecordedCall, 'status' | 'answer'>): RecordedCall {
  const changes = `<Changes><Change><Action>${action}</Action>${record}</Change></Changes>`;
  const batch = `<ChangeBatch><Comment>${action} using lexicon Route 53 provider</Comment>${changes}</ChangeBatch>`;
  const body = `<ChangeResourceRecordSetsRequest ${NAMESPACE}>${batch}</ChangeResourceRecordSetsRequest>`;
  return { call: `POST ${RRSET}/`, body, ...then };
}

const CHANGED = {
  status: 200,
  answer: `<ChangeResourceRecordSetsResponse ${NAMESPACE}><ChangeInfo><Id>/change/C0537538G8T0NETNOSFS</Id><Status>PENDING</Status><SubmittedAt>2022-04-19T20:56:28.449Z</SubmittedAt><Comment>CREATE using lexicon Route 53 provider</Comment></ChangeInfo></ChangeResourceRecordSetsResponse>`,
};

export const recorded: RecordedCalls = {
  zone: 'fullcr1stal.tk',
  headers: ({ credential }, { method, url, body }) =>
    signV4(
      { method, url: new URL(url), body },
      { accessKeyId: credential['access_key_id'] ?? '', secretAccessKey: credential['secret_access_key'] ?? '' },
      { region: 'us-east-1', service: 'route53', now: new Date() },
    ),
  calls: [
    {
      call: 'GET /2013-04-01/hostedzonesbyname',
      status: 200,
      answer: `<ListHostedZonesByNameResponse ${NAMESPACE}><HostedZones><HostedZone><Id>/hostedzone/Z040120927RX9CM38HPQQ</Id><Name>fullcr1stal.tk.</Name><CallerReference>01f9750a</CallerReference><Config><Comment>Test</Comment><PrivateZone>false</PrivateZone></Config><ResourceRecordSetCount>3</ResourceRecordSetCount></HostedZone></HostedZones><IsTruncated>false</IsTruncated><MaxItems>100</MaxItems></ListHostedZonesByNameResponse>`,
    },
    {
      call: `GET ${RRSET}`,
      status: 200,
      answer: `<ListResourceRecordSetsResponse ${NAMESPACE}><ResourceRecordSets>${set('fullcr1stal.tk.', 'NS', 172800, 'ns-831.awsdns-39.net.', 'ns-422.awsdns-52.com.')}${set('fullcr1stal.tk.', 'SOA', 900, 'ns-831.awsdns-39.net. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400')}</ResourceRecordSets><IsTruncated>false</IsTruncated><MaxItems>100</MaxItems></ListResourceRecordSetsResponse>`,
    },
    sent('CREATE', set('localhost.fullcr1stal.tk.', 'A', 3600, '127.0.0.1'), CHANGED),
    sent('CREATE', set('docs.fullcr1stal.tk.', 'CNAME', 3600, 'docs.example.com'), CHANGED),
    sent('CREATE', set('_acme-challenge.noop.fullcr1stal.tk.', 'TXT', 3600, '"challengetoken"'), CHANGED),
    sent('UPSERT', set('_acme-challenge.noop.fullcr1stal.tk.', 'TXT', 3600, '"challengetoken"', '"challengetoken"'), {
      status: 400,
      answer: `<ErrorResponse ${NAMESPACE}><Error><Type>Sender</Type><Code>InvalidChangeBatch</Code><Message>[Duplicate Resource Record: 'challengetoken']</Message></Error><RequestId>d9642252</RequestId></ErrorResponse>`,
    }),
  ],
};
